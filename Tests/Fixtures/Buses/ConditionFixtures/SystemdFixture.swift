// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures

/// A real systemd as the first process of namespaces of its own, with a system bus, on an overlay of this machine's root.
///
/// Nothing that happens inside changes the machine. Only what a test starts runs. The network has only a loopback interface.
package struct SystemdFixture: Sendable {
    /// The reason this fixture cannot run here, or `nil` if it can.
    package static let unavailabilityReason: String? = {
        if let reason = FixtureTools.missing(["/lib/systemd/systemd", "unshare", "nsenter", "chroot", "ip"]) {
            return reason
        }
        let attempt = """
            mount --make-rprivate / && mount -t tmpfs tmpfs /mnt && mkdir /mnt/u /mnt/w /mnt/r &&
            mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/r &&
            mount -t cgroup2 cgroup2 /mnt/r/sys && test -e /mnt/r/sys/cgroup.procs
            """
        let isAllowed = FixtureProcess.succeeds(unshare + ["sh", "-c", attempt])
        return isAllowed ? nil : "mount namespaces are not permitted"
    }()

    /// Returns the reason that a test with another program cannot run, or `nil` if the program is installed.
    package static func missingProgram(_ name: String) -> String? { FixtureTools.missing([name]) }

    private static let unshare = [
        "unshare", "--mount", "--pid", "--fork", "--kill-child", "--cgroup", "--uts", "--ipc", "--net",
    ]

    private let folder: URL
    private let process: FixtureProcess
    private let system: Int32

    /// Boots a system, and waits until it runs.
    ///
    /// - Parameter shared: The folders that are the same inside and outside.
    package init(sharing shared: [String]) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "systemd-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let script = try FixtureTools.resource("systemd-fixture.sh")
        let outer: Int32
        (process, outer) = try await FixtureProcess.service(
            Self.unshare + ["bash", script, folder.path] + shared)
        system = try await Self.child(of: outer)
        for _ in 0..<600 {
            if let state = try? await run("systemctl", "is-system-running", "--wait"), state.hasPrefix("running") {
                break
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        try await run("systemctl", "start", "dbus.socket", "dbus.service")
    }

    private static func child(of process: Int32) async throws -> Int32 {
        for _ in 0..<100 {
            let text = try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
            if let child = text?.split(separator: " ").first.flatMap({ Int32($0) }) { return child }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw FixtureError("the booted systemd is missing")
    }

    /// The command that runs another command inside, as root.
    package var entry: [String] {
        [
            "nsenter", "--target", "\(system)", "--mount", "--pid", "--cgroup", "--uts", "--ipc", "--net", "chroot",
            folder.path + "/root", "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root",
            "LC_ALL=C.UTF-8", "DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/dbus/system_bus_socket",
        ]
    }

    /// Runs a command inside as root, and returns its output.
    ///
    /// - Throws: `FixtureError` with the output if the command fails.
    @discardableResult
    package func run(_ command: String...) async throws -> String { try await FixtureProcess.run(entry + command) }

    /// Writes a file inside.
    package func write(_ text: String, to path: String) async throws {
        try await run("sh", "-c", "mkdir -p \"$(dirname \"$1\")\" && printf %s \"$2\" >\"$1\"", "sh", path, text)
    }

    /// Starts a real upowerd inside, with a battery and an AC adapter.
    package func startPower() async throws -> PowerFixture {
        let power = try await PowerFixture(within: entry)
        try await power.spawn()
        return power
    }

    /// Ends the system with all its processes.
    package func end() async {
        await process.end()
        // The first process of the system ends after all others.
        try? await waitForEnd(of: system)
        // The kernel keeps the control groups of units that have ended.
        let remove = """
            mount --make-rprivate / && mount -t cgroup2 cgroup2 /mnt &&
            find "/mnt/$1" -depth -type d -exec rmdir {} +
            """
        _ = try? await FixtureProcess.run(
            ["unshare", "--mount", "--cgroup", "sh", "-c", remove, "sh", folder.lastPathComponent])
        try? FileManager.default.removeItem(at: folder)
    }
}
