// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "transferctl watch",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct WatchTests {
    private func start(_ fixture: DaemonFixture, in terminal: PseudoTerminal) throws -> ChildProcess {
        var environment = fixture.program.environment
        environment["TERM"] = "xterm-256color"
        return try ChildProcess(
            "/bin/sh", ["-c", "exec \"$0\" watch < \(terminal.path) > \(terminal.path)", Transferctl.path],
            environment: environment, output: fixture.program.folder.path + "/watch.errors")
    }

    @Test("In a terminal, it shows wait reasons, reacts to keys, and restores the terminal")
    func terminal() async throws {
        try await DaemonFixture.with { fixture in
            try await fixture.run("add", "http://127.0.0.1:9/big.iso", "--not-before", "+1d")
            let terminal = try PseudoTerminal()
            #expect(terminal.isCooked)
            let watch = try start(fixture, in: terminal)
            try await terminal.waitUntil("the transfer is shown") { $0.contains("big.iso") }
            try await terminal.waitUntil("why it waits is shown") { $0.contains("not before") }
            #expect(terminal.output.contains("\u{1B}[?1049h") && !terminal.isCooked)
            terminal.type("p")
            try await waitUntil("the transfer is paused", within: 60) { try await fixture.state(of: "1") == "paused" }
            try await terminal.waitUntil("the pause is shown") { $0.contains("1 paused") }
            terminal.type("c")
            try await terminal.waitUntil("the confirmation is shown") { $0.contains("Cancel 1 big.iso") }
            terminal.type("x")
            terminal.type("c")
            terminal.type("y")
            try await waitUntil("the transfer is canceled", within: 60) {
                try await fixture.state(of: "1") == "cancelled"
            }
            terminal.type("q")
            #expect(try await watch.wait(within: 60) == 0)
            #expect(terminal.isCooked)
            #expect(terminal.output.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
        }
    }

    @Test(
        "A signal restores the terminal",
        arguments: [(SIGTERM, 143), (SIGINT, 0), (SIGHUP, 0)] as [(Int32, Int32)])
    func signals(_ number: Int32, _ status: Int32) async throws {
        try await DaemonFixture.with { fixture in
            let terminal = try PseudoTerminal()
            let watch = try start(fixture, in: terminal)
            try await terminal.waitUntil("the screen is drawn") { $0.contains("no transfers") }
            watch.signal(number)
            #expect(try await watch.wait(within: 60) == status)
            #expect(terminal.isCooked)
            #expect(terminal.output.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
        }
    }

    @Test("The end of the daemon is reported with status 3, and the terminal is restored")
    func daemonEnds() async throws {
        try await DaemonFixture.with { fixture in
            let terminal = try PseudoTerminal()
            let watch = try start(fixture, in: terminal)
            try await terminal.waitUntil("the screen is drawn") { $0.contains("no transfers") }
            kill(try #require(try await fixture.process()), SIGKILL)
            #expect(try await watch.wait(within: 60) == 3)
            #expect(terminal.isCooked)
        }
    }

    @Test("Outside a terminal, each change is a line of text or a JSON object")
    func lines() async throws {
        try await DaemonFixture.with { fixture in
            try await fixture.run("add", "http://127.0.0.1:9/a.bin", "--not-before", "+1d")
            let watch = try fixture.program.start(["watch"])
            let json = try fixture.program.start(["watch", "--json"])
            try await watch.waitUntil("the first line", within: 60) {
                watch.output.contains("1 waiting a.bin: not before")
            }
            try await json.waitUntil("the first object", within: 60) { json.output.contains("\"state\":\"waiting\"") }
            try await fixture.run("hold", "--reason", "a call")
            try await fixture.run("pause", "1")
            try await watch.waitUntil("the changes", within: 60) {
                watch.output.contains("on hold: a call") && watch.output.contains("1 paused a.bin")
            }
            try await json.waitUntil("the changes", within: 60) { json.output.contains("\"state\":\"paused\"") }
            let events = json.events
            #expect(Set(events.map(\.name)) == ["conditions", "hold", "transfer"])
            #expect(events.allSatisfy { $0.time > 0 })
            for run in [watch, json] {
                run.process.signal(SIGINT)
                #expect(try await run.process.wait(within: 60) == 0)
            }
        }
    }
}
