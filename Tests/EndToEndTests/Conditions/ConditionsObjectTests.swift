// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// Tests of the verdict for other programs on the bus, with the tools that those programs use.
@Suite(
    "The verdict for other programs",
    .enabled(if: PowerFixture.unavailabilityReason == nil, "\(PowerFixture.unavailabilityReason ?? "")"))
struct ConditionsObjectTests {
    private static let object = ["org.transferd", "/org/transferd/Conditions", "org.transferd.Conditions1"]
    private static let article =
        GuideTests.top + "/Sources/Tools/transferctl/transferctl.docc/ProgramsYouHave.md"

    /// A daemon on a machine whose plug the test controls.
    private func withDaemon(_ body: (DaemonFixture, PowerFixture) async throws -> Void) async throws {
        let machine = try await PrivateBus()
        let power = try await PowerFixture(bus: machine)
        try await power.spawn()
        let fixture = try await DaemonFixture { _ in machine.environment }
        let result: Result<Void, any Error>
        do { result = .success(try await body(fixture, power)) } catch { result = .failure(error) }
        await fixture.end()
        await power.end()
        await machine.end()
        try result.get()
    }

    /// Runs a program on the daemon's bus to its end, and returns its output.
    private func run(_ fixture: DaemonFixture, _ words: [String], within seconds: Double = 60) async throws -> String {
        let log = fixture.program.folder.path + "/log-\(UUID().uuidString)"
        let process = try ChildProcess(
            "/usr/bin/env", words, environment: fixture.program.environment, output: log,
            directory: fixture.program.downloads)
        let status = try await process.wait(within: seconds)
        let text = try String(contentsOfFile: log, encoding: .utf8)
        guard status == 0 else { throw FixtureError("\(words) ended with \(status): \(text)") }
        return text.trimmingCharacters(in: .newlines)
    }

    private func get(_ fixture: DaemonFixture, _ property: String) async throws -> String {
        try await run(fixture, ["busctl", "--user", "get-property"] + Self.object + [property])
    }

    @Test("busctl reads the verdict; it follows the plug with debounce, and sends each change to all subscribers")
    func plug() async throws {
        try await withDaemon { fixture, power in
            try await waitUntil("the verdict is positive", within: 30) {
                try await get(fixture, "Discretionary") == "b true"
            }
            #expect(try await get(fixture, "Reasons") == "as 0")
            #expect(try await get(fixture, "OnAC") == #"s "yes""#)
            #expect(try await get(fixture, "Since").hasPrefix("s \"20"))
            let log = fixture.program.folder.path + "/monitor"
            let monitor = try ChildProcess(
                "/usr/bin/env",
                ["gdbus", "monitor", "--session", "--dest", "org.transferd", "--object-path", Self.object[1]],
                environment: fixture.program.environment, output: log)
            try await waitForText("is owned by", in: log)

            try await power.setAC(false)
            try await waitUntil("OnAC", within: 10) { try await get(fixture, "OnAC") == #"s "no""# }
            #expect(
                try await get(fixture, "Discretionary") == "b true", "the loss of power is tolerated for five seconds")
            try await waitUntil("the verdict is negative", within: 10) {
                try await get(fixture, "Discretionary") == "b false"
            }
            #expect(try await get(fixture, "Reasons") == #"as 1 "onBattery""#)
            try await waitForText("'Discretionary': <false>", in: log)
            let seen = try String(contentsOfFile: log, encoding: .utf8)
            #expect(seen.contains("'Reasons': <['onBattery']>"), "\(seen)")

            try await power.setAC(true)
            try await waitUntil("the debounce", within: 5) { try await get(fixture, "Reasons") == #"as 1 "settling""# }
            try await waitUntil("the verdict is positive again", within: 20) {
                try await get(fixture, "Discretionary") == "b true"
            }
            try await waitForText("'Discretionary': <true>", in: log)
            monitor.end()
        }
    }

    @Test("The user's hold is a reason; nobody may write; other interfaces and members are refused")
    func rights() async throws {
        try await withDaemon { fixture, _ in
            try await waitUntil("the verdict is positive", within: 30) {
                try await get(fixture, "Discretionary") == "b true"
            }
            try await fixture.run("hold")
            try await waitUntil("the hold", within: 10) { try await get(fixture, "Reasons") == #"as 1 "held""# }
            await #expect(throws: FixtureError.self) {
                try await run(
                    fixture, ["busctl", "--user", "set-property"] + Self.object + ["Discretionary", "b", "true"])
            }
            await #expect(throws: FixtureError.self) {
                try await run(fixture, ["busctl", "--user", "call"] + Self.object + ["Set"])
            }
            await #expect(throws: FixtureError.self) { try await get(fixture, "NoSuchProperty") }
            #expect(try await get(fixture, "Discretionary") == "b false")
        }
    }

    @Test("The article's programs in Python and C print the verdict and its changes", arguments: ["python", "c"])
    func programs(_ language: String) async throws {
        let text = try String(contentsOfFile: Self.article, encoding: .utf8)
        let start = try #require(text.range(of: "```\(language)\n"))
        let end = try #require(text.range(of: "```", range: start.upperBound..<text.endIndex))
        let source = String(text[start.upperBound..<end.lowerBound])
        try await withDaemon { fixture, power in
            try await waitUntil("the verdict is positive", within: 30) {
                try await get(fixture, "Discretionary") == "b true"
            }
            let folder = fixture.program.folder.path
            let file = folder + (language == "c" ? "/conditions.c" : "/conditions.py")
            try source.write(toFile: file, atomically: true, encoding: .utf8)
            let words: [String]
            if language == "c" {
                let flags = try await run(fixture, ["pkg-config", "--cflags", "--libs", "gio-2.0"])
                _ = try await run(
                    fixture,
                    ["cc", file] + flags.split(separator: " ").map(String.init) + ["-o", folder + "/conditions"])
                words = [folder + "/conditions"]
            } else {
                words = ["/usr/bin/python3", file]
            }
            let log = folder + "/program.log"
            let program = try ChildProcess(
                "/usr/bin/env", words, environment: fixture.program.environment, output: log)
            try await waitForText("good\n", in: log)
            try await power.setAC(false)
            try await waitForText("wait\n", in: log)
            program.end()
        }
    }
}
