// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import GRDB
import Testing

@Suite(
    "A queue that cannot be read", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct DamagedQueueTests {
    @Test("ends the daemon with 2 and a way out, though it is on the bus already; mended, all is there")
    func damagedRow() async throws {
        let rig = try await DaemonRig()
        let result: Result<Void, any Error>
        do { result = .success(try await damage(rig)) } catch { result = .failure(error) }
        await rig.end()
        try result.get()
    }

    private func damage(_ rig: DaemonRig) async throws {
        for name in ["a", "b"] {
            try rig.run("add", "http://127.0.0.1:9/\(name)", "-d", rig.program.downloads, "--not-before", "+1d")
        }
        let first = try #require(try rig.process())
        kill(first, SIGTERM)
        try waitUntil("the daemon ends", within: 60) { kill(first, 0) != 0 }

        let folder = try #require(rig.program.environment["XDG_STATE_HOME"])
        let file = try #require(
            FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
                .first { $0.hasSuffix("queue.sqlite") })
        let queue = try DatabaseQueue(path: folder + "/" + file)
        // No class of traits has the new number.
        try await queue.write { try $0.execute(sql: "UPDATE queue SET class = class + 1000 WHERE task = 2") }

        let told = rig.program.folder.path + "/told"
        let daemon = try ChildProcess(DaemonRig.daemonPath, [], environment: rig.program.environment, output: told)
        #expect(try daemon.wait(within: 60) == 2)
        let text = try String(contentsOfFile: told, encoding: .utf8)
        #expect(text.contains("transfer 2 cannot be read"), "\(text)")
        #expect(text.contains("DELETE FROM task WHERE id = 2"), "\(text)")
        // A call that starts the daemon fails with an error instead of waiting.
        #expect(try rig.run("list", status: 3).isEmpty == false)

        try await queue.write { try $0.execute(sql: "UPDATE queue SET class = class - 1000 WHERE task = 2") }
        try queue.close()
        #expect(try rig.state(of: "1") == "waiting")
        #expect(try rig.state(of: "2") == "waiting")
    }
}
