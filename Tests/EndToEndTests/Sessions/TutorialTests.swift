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

    @Test(
        "L2: an app that starts slowly or completes early is called before its events and runs until they are handled",
        arguments: ["EARLY", "BUSY"])
    func order(_ habit: String) async throws {
        let server = try await NginxServer(rate: 500_000)
        for number in 1...2 { _ = try server.serve("\(number).bin", bytes: 500_000) }
        let home = try TemporaryFolder()
        let log = home.path + "/log"
        try FileManager.default.createDirectory(atPath: home.path + "/Documents", withIntermediateDirectories: true)
        var settings = [
            "HOME": home.path, "CFFIXED_USER_HOME": home.path, "XDG_CACHE_HOME": home.path + "/cache",
            "TUTORIAL_LOG": log, "TUTORIAL_DELAY": "0",
        ]
        settings["TUTORIAL_" + habit] = "1"
        let fixture = try await DaemonFixture { [settings] _ in settings }
        let program = builtProgram("TutorialApp")
        // No task ends before the app is killed.
        server.setStopped(true)
        let app = try FixtureProcess(
            [program] + (1...2).map { server.url("\($0).bin") },
            environment: fixture.program.environment.merging(settings) { $1 })
        try await waitUntil("the tasks", within: 60) {
            (try await fixture.json("list")["transfers"] as? [[String: Any]])?.count == 2
        }
        kill(app.id, SIGKILL)
        await app.end()
        try await fixture.run("now", "--all")
        server.setStopped(false)
        func lines() -> [String] {
            ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
        }
        try await waitForText("handle MySession", in: log)
        let began = try #require(lines().last { $0.hasPrefix("began ") })
        try await waitForEnd(of: try #require(pid_t(began.dropFirst(6))))
        let started = lines().drop { $0 != "handle MySession" && !$0.hasPrefix("completed") && $0 != "all events" }
        #expect(
            started.sorted() == ["all events", "completed 1", "completed 2", "handle MySession"],
            "what the app was told: \(started)")
        #expect(started.first == "handle MySession" && started.last == "all events")
        await fixture.end()
    }
}
