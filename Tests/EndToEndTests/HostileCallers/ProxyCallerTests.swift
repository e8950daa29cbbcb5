// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import RawBus
import Testing

@Suite(
    "Callers in real sandboxes",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct ProxyCallerTests {
    private static func missing(_ programs: String...) -> String? {
        let missing = programs.filter { !FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
        guard missing.isEmpty else { return "not installed: \(missing.joined(separator: ", "))" }
        guard programs.contains("bwrap"), let folder = try? TemporaryFolder() else { return nil }
        let words = ["--ro-bind", "/", "/", "/bin/true"]
        let status = try? ChildProcess("/usr/bin/bwrap", words, output: folder.path + "/out").waitOnThisThread()
        return status == 0 ? nil : "mount namespaces are not allowed here"
    }
    private static let missingBwrap = missing("bwrap")
    private static let missingProxy = missing("xdg-dbus-proxy")
    private static let missingBoth = missing("bwrap", "xdg-dbus-proxy")

    /// Returns the bubblewrap command for the caller's program, with or without `/.flatpak-info`.
    private func bwrap(_ fixture: HostileFixture, socket: String, info: String?, binding: [String] = []) throws
        -> [String]
    {
        let program = URL(fileURLWithPath: HostileProcess.program).deletingLastPathComponent().path
        let runtime = try SandboxRoot.runtimeFolder()
        // `--die-with-parent` is not used: the kernel treats the end of the thread that started the process as the end
        // of its parent. The caller ends with its input.
        var words = ["bwrap", "--proc", "/proc", "--dev", "/dev"]
        for folder in ["/usr", "/lib", "/lib64", "/bin", "/etc"] + [runtime, program] {
            words += ["--ro-bind-try", folder, folder]
        }
        words += ["--bind", socket, socket]
        for path in binding { words += ["--bind", path, path] }
        if let info {
            let file = fixture.folder.path + "/flatpak-info"
            try "[Application]\nname=\(info)\n[Context]\nshared=network;\n".write(
                toFile: file, atomically: true, encoding: .utf8)
            words += ["--ro-bind", file, "/.flatpak-info"]
        }
        return words
    }

    private func path(of address: String) -> String { address.replacingOccurrences(of: "unix:path=", with: "") }

    /// Checks that the daemon treats a caller as sandboxed and accepts no path and no command from it.
    private func expectSandboxed(_ fixture: HostileFixture, _ caller: HostileProcess) async throws {
        for hostile in HostileCase.all {
            let expectation = hostile.sandboxed ?? hostile.foreign
            let fault = expectation.fault(in: try await caller.call(hostile.call(fixture)))
            #expect(fault == nil, "\(hostile.name)")
        }
        #expect(try await fixture.damage() == [])
    }

    @Test(
        "bubblewrap, with and without Flatpak's file; C1", .enabled(if: missingBwrap == nil, "\(missingBwrap ?? "")"),
        arguments: [HostileFixture.sandboxedApp, nil])
    func bubblewrap(id: String?) async throws {
        try await HostileFixture.with { fixture in
            let words = try bwrap(fixture, socket: path(of: fixture.address), info: id)
            let caller = try await HostileProcess(words + [HostileProcess.program, fixture.address])
            #expect(try await caller.perform("sees \(fixture.home)") == "false")
            try await expectSandboxed(fixture, caller)
            await caller.end()
        }
    }

    @Test(
        "A client behind a bus proxy on the host is sandboxed, because the bus sees only the proxy; C1",
        .enabled(if: missingProxy == nil, "\(missingProxy ?? "")"))
    func bareProxy() async throws {
        try await HostileFixture.with { fixture in
            let socket = fixture.folder.path + "/proxy"
            let proxy = try ChildProcess(
                "/usr/bin/xdg-dbus-proxy", [fixture.address, socket, "--filter", "--talk=org.transferd"],
                output: fixture.folder.path + "/proxy.log")
            try await waitUntil("the proxy listens", within: 30, watching: .files(in: fixture.folder.path)) {
                FileManager.default.fileExists(atPath: socket)
            }
            let caller = try await HostileProcess(address: "unix:path=\(socket)")
            try await expectSandboxed(fixture, caller)
            await caller.end()
            proxy.end()
        }
    }

    @Test(
        "A client behind a bus proxy in Flatpak's own sandbox has that sandbox's id; C1",
        .enabled(if: missingBoth == nil, "\(missingBoth ?? "")"))
    func flatpakProxy() async throws {
        try await HostileFixture.with { fixture in
            let folder = fixture.folder.path + "/proxied"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let socket = folder + "/proxy"
            let words = try bwrap(
                fixture, socket: path(of: fixture.address), info: HostileFixture.sandboxedApp, binding: [folder])
            let proxy = try ChildProcess(
                "/usr/bin/env",
                words + ["xdg-dbus-proxy", fixture.address, socket, "--filter", "--talk=org.transferd"],
                output: fixture.folder.path + "/proxy.log")
            try await waitUntil("the proxy listens", within: 30, watching: .files(in: folder)) {
                FileManager.default.fileExists(atPath: socket)
            }
            let caller = try await HostileProcess(address: "unix:path=\(socket)")
            try await expectSandboxed(fixture, caller)
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
        try await HostileFixture.with { fixture in
            let folder = fixture.folder.path + "/flatpak"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let app = try await FlatpakApp(folder: folder)
            let bus = ["DBUS_SESSION_BUS_ADDRESS=\(fixture.address)"]
            let transfer = WireValue.array(of: "a{sv}", [HostileFixture.transfer(named: "x")])
            let offline = try await HostileProcess(
                bus + app.command() + ["unix:path=/run/flatpak/bus"], hidesProcesses: true)
            let refusal = try await offline.manager("Submit", [transfer])
            #expect(refusal.error == "AccessDenied" && refusal.text.contains("--share=network"), "\(refusal)")
            await offline.end()
            let caller = try await HostileProcess(
                bus + app.command(["--share=network"]) + ["unix:path=/run/flatpak/bus"], hidesProcesses: true)
            #expect(try await caller.perform("sees \(fixture.home)") == "false")
            #expect(try await caller.perform("sees /.flatpak-info") == "true")
            try await expectSandboxed(fixture, caller)
            await caller.end()
        }
    }
}
