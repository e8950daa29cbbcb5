// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import ProcessFixtures
import Testing

@Suite(
    "Sleep, announced by a real systemd-logind",
    .enabled(if: LoginFixture.unavailabilityReason == nil, "\(LoginFixture.unavailabilityReason ?? "")"))
struct SleepSourceTests {
    private func withProbe(
        _ arguments: [String] = [], startsDaemon: Bool = true,
        _ body: (LoginFixture, PrivateBus, ConditionsProbe) async throws -> Void
    ) async throws {
        let bus = try await PrivateBus()
        let fixture = try LoginFixture(bus: bus)
        let result: Result<Void, any Error>
        do {
            if startsDaemon { try await fixture.spawn() }
            let probe = try ConditionsProbe(
                ["--without", "netlink", "--without", "networkManager", "--without", "upower"] + arguments,
                environment: bus.environment)
            do { result = .success(try await body(fixture, bus, probe)) } catch { result = .failure(error) }
            await probe.end()
        } catch { result = .failure(error) }
        await fixture.end()
        await bus.end()
        try result.get()
    }

    /// Waits until the probe has `count` inhibitor locks.
    private func locks(_ count: Int, of probe: ConditionsProbe, in fixture: LoginFixture) async throws {
        try await waitUntil("\(count) inhibitor locks", within: 30) {
            try await fixture.locks().count { $0.hasSuffix("/\(probe.id)") } == count
        }
    }

    private func startedTarget(_ target: String, in fixture: LoginFixture) async throws {
        try await waitUntil("logind starts \(target)", within: 30) { try await fixture.startedTarget() == target }
    }

    @Test("Sleep is announced and delayed until all state is saved, each time")
    func sleep() async throws {
        try await withProbe(["--ready", "promptly"]) { fixture, _, probe in
            try await probe.line("sleep=awake/logind/reported/settled")
            for _ in 0..<2 {
                try await locks(1, of: probe, in: fixture)
                #expect(try await fixture.locks() == ["shutdown:sleep/delay/\(probe.id)"])
                try await fixture.sleep()
                try await probe.line("sleep=about-to-sleep/logind/reported/changed")
                try await startedTarget("suspend.target", in: fixture)
                // Well below the 4 s after which the sleep would begin anyway.
                #expect(try await fixture.inhibitorDelay() < .milliseconds(3500))
                #expect(try await fixture.locks().isEmpty)
                try await fixture.wake()
                try await probe.line("sleep=awake/logind/reported/changed")
            }
        }
    }

    @Test("Without a confirmation that all state is saved, sleep is delayed for four seconds")
    func timeLimit() async throws {
        try await withProbe { fixture, _, probe in
            try await probe.line("sleep=awake/logind")
            try await locks(1, of: probe, in: fixture)
            let start = ContinuousClock.now
            try await fixture.sleep()
            try await probe.line("sleep=about-to-sleep/logind")
            try await startedTarget("suspend.target", in: fixture)
            #expect(ContinuousClock.now - start > .milliseconds(3900))
            try await locks(0, of: probe, in: fixture)
        }
    }

    @Test("A logind that restarts or starts late gets a new inhibitor lock")
    func restart() async throws {
        try await withProbe(startsDaemon: false) { fixture, bus, probe in
            try await probe.line("sleep=awake/none/assumed/settled")
            try await fixture.spawn()
            try await probe.line("sleep=awake/logind/reported/settled")
            try await locks(1, of: probe, in: fixture)
            try await fixture.kill()
            try await probe.line("sleep=awake/none/assumed")
            try await fixture.spawn()
            try await probe.line("sleep=awake/logind/reported")
            try await locks(1, of: probe, in: fixture)
            // logind dies again, in the middle of an announcement. No service now reports that the machine
            // sleeps.
            try await fixture.sleep()
            try await probe.line("sleep=about-to-sleep/logind")
            try await fixture.kill()
            try await probe.line("sleep=awake/none/assumed/changed")
        }
    }
}
