// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import GRDB
import ProcessFixtures
import Testing

@Suite(
    "A damaged queue",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct DamagedQueueTests {
    @Test("ends the daemon with status 2 and a remedy; after a repair, all transfers are there")
    func damagedRow() async throws {
        try await DaemonFixture.with { fixture in try await damage(fixture) }
    }

    private func damage(_ fixture: DaemonFixture) async throws {
        for name in ["a", "b"] {
            try await fixture.run(
                "add", "http://127.0.0.1:9/\(name)", "-d", fixture.program.downloads, "--not-before", "+1d")
        }
        try await fixture.endDaemon()

        let folder = try #require(fixture.program.environment["XDG_STATE_HOME"])
        let file = try #require(
            FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
                .first { $0.hasSuffix("queue.sqlite") })
        let queue = try DatabaseQueue(path: folder + "/" + file)
        // No class of traits has the new number.
        try await queue.write { try $0.execute(sql: "UPDATE queue SET class = class + 1000 WHERE task = 2") }

        let output = fixture.program.folder.path + "/daemon.log"
        let daemon = try ChildProcess(
            DaemonFixture.daemonPath, [], environment: fixture.program.environment, output: output)
        #expect(try await daemon.wait(within: 60) == 2)
        let text = try String(contentsOfFile: output, encoding: .utf8)
        #expect(text.contains("transfer 2 cannot be read"), "\(text)")
        #expect(text.contains("DELETE FROM task WHERE id = 2"), "\(text)")
        // A call that starts the daemon fails with an error instead of waiting.
        #expect(try await fixture.run("list", status: 3).isEmpty == false)

        try await queue.write { try $0.execute(sql: "UPDATE queue SET class = class - 1000 WHERE task = 2") }
        try queue.close()
        #expect(try await fixture.state(of: "1") == "waiting")
        #expect(try await fixture.state(of: "2") == "waiting")
    }
}
