// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "A tutorial's app",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct TutorialTests {
    @Test("T3, L2, E2: a killed app is launched to begin its task, and again to move the file")
    func runs() async throws {
        let server = try await NginxServer()
        _ = try server.serve("episode.bin", bytes: 50_000)
        let home = try TemporaryFolder()
        // The folder for the app's downloads. Every desktop provides the folder.
        let documents = home.path + "/Documents"
        try FileManager.default.createDirectory(atPath: documents, withIntermediateDirectories: true)
        // Foundation takes root's home folder from the password file and ignores HOME.
        let settings = [
            "HOME": home.path, "CFFIXED_USER_HOME": home.path, "XDG_CACHE_HOME": home.path + "/cache",
            "TUTORIAL_DELAY": "3",
        ]
        let fixture = try await DaemonFixture { _ in settings }
        let program = builtProgram("TutorialApp")
        let app = try FixtureProcess(
            [program, server.url("episode.bin")], environment: fixture.program.environment.merging(settings) { $1 })
        try await waitUntil("the task", within: 60) {
            (try await fixture.json("list")["transfers"] as? [[String: Any]])?.count == 1
        }
        kill(app.id, SIGKILL)
        await app.end()
        // A discretionary transfer waits for AC power. A command of the user starts it immediately.
        try await fixture.run("now", "--all")
        try await waitUntil("the file", within: 120, watching: .files(in: documents)) {
            (try? FileManager.default.contentsOfDirectory(atPath: documents).count) == 1
        }
        try await waitUntil("all events are acknowledged", within: 60) {
            (try await fixture.json("apps")["apps"] as? [[String: Any]])?.allSatisfy {
                $0["waiting-events"] as? Int == 0
            }
                == true
        }
        #expect(server.requests().contains { $0.path == "/episode.bin" })
        await fixture.end()
    }
}
