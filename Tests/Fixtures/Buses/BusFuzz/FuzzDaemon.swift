// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures

/// A private bus and a daemon for the fuzzer, in a temporary folder that is removed at the end.
struct FuzzDaemon {
    let bus: PrivateBus
    let process: FixtureProcess
    let folder: URL

    init(program: String?) async throws {
        let beside = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let program = program ?? beside.path + "/transferd"
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("bus-fuzz-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder
        bus = try await PrivateBus()
        var environment = bus.sessionEnvironment.merging(bus.environment) { $1 }
        for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "HOME"] {
            environment[name] = folder.path
        }
        // The shell replaces itself with the daemon, so the process id stays the same.
        process = try FixtureProcess(
            ["/bin/sh", "-c", "exec \"$0\" </dev/null >/dev/null 2>>\"$1\"", program, folder.path + "/log"],
            environment: environment)
    }

    /// Ends the daemon and the bus, and removes the folder unless the daemon's log is needed after a failure.
    func end(keepingFolder: Bool) async {
        kill(process.id, SIGTERM)
        await process.end()
        await bus.end()
        if !keepingFolder { try? FileManager.default.removeItem(at: folder) }
    }
}
