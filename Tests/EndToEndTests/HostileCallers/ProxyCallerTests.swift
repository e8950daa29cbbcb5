// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import RawBus
import Testing

@Suite(
    "Callers in real sandboxes", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct ProxyCallerTests {
    private static func missing(_ programs: String...) -> String? {
        let missing = programs.filter { !FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
        guard missing.isEmpty else { return "not installed: \(missing.joined(separator: ", "))" }
        guard programs.contains("bwrap"), let folder = try? TemporaryFolder() else { return nil }
        let words = ["--ro-bind", "/", "/", "/bin/true"]
        let status = try? ChildProcess("/usr/bin/bwrap", words, output: folder.path + "/out").wait(within: 30)
        return status == 0 ? nil : "a mount namespace of its own is not allowed here"
    }
    private static let missingBwrap = missing("bwrap")
    private static let missingProxy = missing("xdg-dbus-proxy")
    private static let missingBoth = missing("bwrap", "xdg-dbus-proxy")

    /// Returns the bubblewrap command for the caller's program, with or without `/.flatpak-info`.
    private func bwrap(_ rig: HostileRig, socket: String, info: String?, binding: [String] = []) throws -> [String] {
        let program = URL(fileURLWithPath: HostileProcess.program).deletingLastPathComponent().path
        let runtime = try CallerRoot.runtimeFolder()
        // Not `--die-with-parent`: the kernel takes the end of the thread that started the process for the end of its
        // parent. The caller ends with its input.
        var words = ["bwrap", "--proc", "/proc", "--dev", "/dev"]
        for folder in ["/usr", "/lib", "/lib64", "/bin", "/etc"] + [runtime, program] {
            words += ["--ro-bind-try", folder, folder]
        }
        words += ["--bind", socket, socket]
        for path in binding { words += ["--bind", path, path] }
        if let info {
            let file = rig.folder.path + "/flatpak-info"
            try "[Application]\nname=\(info)\n".write(toFile: file, atomically: true, encoding: .utf8)
            words += ["--ro-bind", file, "/.flatpak-info"]
        }
        return words
    }

    private func path(of address: String) -> String { address.replacingOccurrences(of: "unix:path=", with: "") }

    /// Checks that the daemon treats a caller as sandboxed and accepts no path and no command from it.
    private func expectSandboxed(_ rig: HostileRig, _ caller: HostileProcess) async throws {
        for hostile in HostileCase.all {
            let expectation = hostile.sandboxed ?? hostile.foreign
            let fault = expectation.fault(in: try await caller.call(hostile.call(rig)))
            #expect(fault == nil, "\(hostile.name)")
        }
        #expect(try await rig.harm() == [])
    }

    @Test(
        "bubblewrap, with Flatpak's file and without; C1", .enabled(if: missingBwrap == nil, "\(missingBwrap ?? "")"),
        arguments: [HostileRig.sandboxedApp, nil])
    func bubblewrap(id: String?) async throws {
        try await HostileRig.with { rig in
            let words = try bwrap(rig, socket: path(of: rig.address), info: id)
            let caller = try await HostileProcess(words + [HostileProcess.program, rig.address])
            #expect(try await caller.ask("sees \(rig.home)") == "false")
            try await expectSandboxed(rig, caller)
            await caller.end()
        }
    }

    @Test(
        "A client behind a bus proxy that runs on the host is sandboxed: the bus sees the proxy alone; C1",
        .enabled(if: missingProxy == nil, "\(missingProxy ?? "")"))
    func bareProxy() async throws {
        try await HostileRig.with { rig in
            let socket = rig.folder.path + "/proxy"
            let proxy = try ChildProcess(
                "/usr/bin/xdg-dbus-proxy", [rig.address, socket, "--filter", "--talk=org.transferd"],
                output: rig.folder.path + "/proxy.log")
            try waitUntil("the proxy listens", within: 30) { FileManager.default.fileExists(atPath: socket) }
            let caller = try await HostileProcess(address: "unix:path=\(socket)")
            try await expectSandboxed(rig, caller)
            await caller.end()
            proxy.end()
        }
    }

    @Test(
        "A client behind a bus proxy in Flatpak's own sandbox has that sandbox's id; C1",
        .enabled(if: missingBoth == nil, "\(missingBoth ?? "")"))
    func flatpakProxy() async throws {
        try await HostileRig.with { rig in
            let folder = rig.folder.path + "/proxied"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let socket = folder + "/proxy"
            let words = try bwrap(
                rig, socket: path(of: rig.address), info: HostileRig.sandboxedApp, binding: [folder])
            let proxy = try ChildProcess(
                "/usr/bin/env",
                words + ["xdg-dbus-proxy", rig.address, socket, "--filter", "--talk=org.transferd"],
                output: rig.folder.path + "/proxy.log")
            try waitUntil("the proxy listens", within: 30) { FileManager.default.fileExists(atPath: socket) }
            let caller = try await HostileProcess(address: "unix:path=\(socket)")
            try await expectSandboxed(rig, caller)
            let opened = try await caller.manager(
                "OpenSession", [.dictionary([("identifier", .string("mine"))]), .dictionary([])])
            #expect(opened.value?["path"]?.text?.contains("org_2eexample_2eSandboxed") == true, "\(opened)")
            await caller.end()
            proxy.end()
        }
    }

    @Test(
        "A real Flatpak app, made here; C1, C2, C3",
        .enabled(if: FlatpakApp.unavailabilityReason == nil, "\(FlatpakApp.unavailabilityReason ?? "")"))
    func flatpak() async throws {
        try await HostileRig.with { rig in
            let folder = rig.folder.path + "/flatpak"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let app = try FlatpakApp(folder: folder)
            let bus = ["DBUS_SESSION_BUS_ADDRESS=\(rig.address)"]
            let caller = try await HostileProcess(
                bus + app.command() + ["unix:path=/run/flatpak/bus"], hidesProcesses: true)
            #expect(try await caller.ask("sees \(rig.home)") == "false")
            #expect(try await caller.ask("sees /.flatpak-info") == "true")
            try await expectSandboxed(rig, caller)
            await caller.end()
        }
    }
}
