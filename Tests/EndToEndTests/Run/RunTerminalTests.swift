// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// Tests of `transferctl run` in a shell with job control.
@Suite("run on a terminal")
struct RunTerminalTests {
    private func withSession(_ body: (TerminalSession, Transferctl) async throws -> Void) async throws {
        let program = try Transferctl()
        let session = try await TerminalSession(program)
        defer { session.end() }
        try await body(session, program)
    }

    @Test("The command is in the foreground: it reads keys and sees the terminal")
    func foreground() async throws {
        try await withSession { session, _ in
            session.type(
                line:
                    "transferctl run -- sh -c 'test -t 0 && test -t 1 && echo is-terminal; read line; echo \"<$line>\"'"
            )
            try await session.awaitText("is-terminal")
            session.type(line: "typed words")
            try await session.awaitText("<typed words>")
        }
    }

    @Test("Ctrl-C interrupts the command once, and the shell sees 128 + 2 or the command's own status")
    func interrupt() async throws {
        try await withSession { session, _ in
            // The terminal shows what is typed, too. Only the output has the words without backslashes.
            session.type(line: "transferctl run -- sh -c 'echo s\\leeps; exec sleep 60'; echo status=$?")
            try await session.awaitText("sleeps")
            session.typeControl("C")
            // Bash ends the list, because its job was interrupted.
            session.type(line: "echo then=$?")
            try await session.awaitText("=130")
            let position = session.position
            session.type(
                line:
                    "transferctl run -- sh -c 'trap \"echo caught\" INT; echo u\\p; sleep 1; sleep 1; exit 4'; echo status=$?"
            )
            try await session.awaitText("up", after: position)
            session.typeControl("C")
            try await session.awaitText("status=4", after: position)
            let shown = session.terminal.output.dropFirst(position)
            #expect(shown.components(separatedBy: "caught").count == 2, "\(shown)")
        }
    }

    @Test("Ctrl-Z stops the job, and fg continues it")
    func stopAndContinue() async throws {
        try await withSession { session, program in
            func size() -> Int {
                (try? Data(contentsOf: URL(fileURLWithPath: program.downloads + "/count")).count) ?? 0
            }
            session.type(
                line: "transferctl run -- sh -c 'while ! [ -e stop ]; do printf x >> count; sleep 0.1; done; exit 3'")
            try await waitUntil("the command counts", within: 30, watching: .files(in: program.downloads)) {
                size() > 2
            }
            session.typeControl("Z")
            try await session.awaitText("Stopped")
            try await Task.sleep(for: .seconds(0.5))
            let stopped = size()
            try await Task.sleep(for: .seconds(1))
            #expect(size() == stopped)
            let position = session.position
            session.type(line: "fg; echo status=$?")
            try await waitUntil("the command continues", within: 30, watching: .files(in: program.downloads)) {
                size() > stopped
            }
            try Data().write(to: URL(fileURLWithPath: program.downloads + "/stop"))
            try await session.awaitText("status=3", after: position)
        }
    }

    @Test("In a pipeline, the other programs keep the terminal and are not frozen")
    func pipeline() async throws {
        try await withSession { session, _ in
            session.type(
                line:
                    "transferctl run -- echo piped | sh -c 'read word; echo \"got $word\"; read key </dev/tty; echo \"key $key\"'"
            )
            try await session.awaitText("got piped")
            session.type(line: "from-terminal")
            try await session.awaitText("key from-terminal")
        }
    }

    @Test(
        "If the watcher of a job is killed, its frozen command continues, and gets no SIGHUP",
        .enabled(if: PowerFixture.unavailabilityReason == nil, "\(PowerFixture.unavailabilityReason ?? "")"))
    func killedJob() async throws {
        let fixture = try await RunPowerFixture(pluggedIn: true)
        let session = try await TerminalSession(fixture.program)
        defer { session.end() }
        session.type(
            line: "transferctl run --when ac --on-loss freeze --sysfs-root \(fixture.power.sysfsRoot) -- "
                + "sh -c 'trap \"echo hup >> signals\" HUP; echo $PPID > watcher; while ! [ -e stop ]; do printf x >> count; sleep 0.1; done'"
        )
        try await fixture.awaitCounting(within: 30)
        let watcher = try #require(fixture.lines("watcher").first.flatMap { Int32($0) })
        try await fixture.power.setAC(false)
        _ = try await fixture.awaitSilence(within: 20)
        kill(watcher, SIGKILL)
        try await fixture.awaitCounting(within: 5 + Tolerance.seconds)
        #expect(fixture.lines("signals").isEmpty)
        await fixture.end()
    }

    @Test(
        "fg on a frozen command does not run it on battery; Ctrl-C continues and ends it",
        .enabled(if: PowerFixture.unavailabilityReason == nil, "\(PowerFixture.unavailabilityReason ?? "")"))
    func frozen() async throws {
        let fixture = try await RunPowerFixture(pluggedIn: true)
        let session = try await TerminalSession(fixture.program)
        defer { session.end() }
        session.type(
            line: "transferctl run --when ac --on-loss freeze --sysfs-root \(fixture.power.sysfsRoot) -- "
                + "sh -c 'while :; do printf x >> count; sleep 0.1; done'")
        try await fixture.awaitCounting(within: 30)
        try await fixture.power.setAC(false)
        _ = try await fixture.awaitSilence(within: 20)
        session.typeControl("Z")
        try await session.awaitText("Stopped")
        session.type(line: "fg")
        try await Task.sleep(for: .seconds(1))
        #expect(try await fixture.awaitSilence(within: 5) == 0, "the command runs on battery")
        let position = session.position
        session.typeControl("C")
        session.type(line: "echo then=$?")
        try await session.awaitText("then=130", after: position)
        await fixture.end()
    }
}
