// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import Testing

@Suite(
    "transferctl watch", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct WatchTests {
    private func withRig(_ body: (DaemonRig) async throws -> Void) async throws {
        let rig = try await DaemonRig()
        let result: Result<Void, any Error>
        do { result = .success(try await body(rig)) } catch { result = .failure(error) }
        await rig.end()
        try result.get()
    }

    private func start(_ rig: DaemonRig, in terminal: PseudoTerminal) throws -> ChildProcess {
        var environment = rig.program.environment
        environment["TERM"] = "xterm-256color"
        return try ChildProcess(
            "/bin/sh", ["-c", "exec \"$0\" watch < \(terminal.path) > \(terminal.path)", Transferctl.path],
            environment: environment, output: rig.program.folder.path + "/watch.errors")
    }

    @Test("In a terminal it shows what waits and why, does what keys say, and leaves the terminal as it was")
    func terminal() async throws {
        try await withRig { rig in
            try rig.run("add", "http://127.0.0.1:9/big.iso", "--not-before", "+1d")
            let terminal = try PseudoTerminal()
            #expect(terminal.isCooked)
            let watch = try start(rig, in: terminal)
            try waitUntil("the transfer is shown", within: 60) { terminal.output.contains("big.iso") }
            try waitUntil("why it waits is shown", within: 60) { terminal.output.contains("not before") }
            #expect(terminal.output.contains("\u{1B}[?1049h") && !terminal.isCooked)
            terminal.type("p")
            try waitUntil("it is paused", within: 60) { try rig.state(of: "1") == "paused" }
            try waitUntil("the pause is shown", within: 60) { terminal.output.contains("until it is resumed") }
            terminal.type("w")
            try waitUntil("the reasons are shown", within: 60) { terminal.output.contains("── why 1") }
            terminal.type("c")
            try waitUntil("it asks", within: 60) { terminal.output.contains("Cancel 1 big.iso") }
            terminal.type("x")
            terminal.type("c")
            terminal.type("y")
            try waitUntil("it is cancelled", within: 60) { try rig.state(of: "1") == "cancelled" }
            terminal.type("q")
            #expect(try watch.wait(within: 60) == 0)
            #expect(terminal.isCooked)
            #expect(terminal.output.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
        }
    }

    @Test(
        "A signal, and the end of the daemon, leave the terminal as it was, too",
        arguments: [(SIGTERM, 143), (SIGINT, 0), (SIGHUP, 0)] as [(Int32, Int32)])
    func signals(_ number: Int32, _ status: Int32) async throws {
        try await withRig { rig in
            let terminal = try PseudoTerminal()
            let watch = try start(rig, in: terminal)
            try waitUntil("the screen is drawn", within: 60) { terminal.output.contains("no transfers") }
            watch.signal(number)
            #expect(try watch.wait(within: 60) == status)
            #expect(terminal.isCooked)
            #expect(terminal.output.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
        }
    }

    @Test("When the daemon ends, it says so, with status 3 and the terminal as it was")
    func daemonEnds() async throws {
        try await withRig { rig in
            let terminal = try PseudoTerminal()
            let watch = try start(rig, in: terminal)
            try waitUntil("the screen is drawn", within: 60) { terminal.output.contains("no transfers") }
            kill(try #require(try rig.process()), SIGKILL)
            #expect(try watch.wait(within: 60) == 3)
            #expect(terminal.isCooked)
        }
    }

    @Test("Elsewhere each change is a line, or an object a line")
    func lines() async throws {
        try await withRig { rig in
            try rig.run("add", "http://127.0.0.1:9/a.bin", "--not-before", "+1d")
            let watch = try rig.program.start(["watch"])
            let json = try rig.program.start(["watch", "--json"])
            try waitUntil("the first lines", within: 60) {
                watch.output.contains("1 waiting a.bin: not before") && json.output.contains("\"state\":\"waiting\"")
            }
            try rig.run("hold", "--reason", "a call")
            try rig.run("pause", "1")
            try waitUntil("the changes", within: 60) {
                watch.output.contains("held: a call") && watch.output.contains("1 paused a.bin")
                    && json.output.contains("\"state\":\"paused\"")
            }
            let events = json.events
            #expect(Set(events.map(\.name)) == ["conditions", "hold", "transfer"])
            #expect(events.allSatisfy { $0.time > 0 })
            for run in [watch, json] {
                run.process.signal(SIGINT)
                #expect(try run.process.wait(within: 60) == 0)
            }
        }
    }
}
