// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Testing

@Suite(
    "Sleep, announced by a real systemd-logind", .serialized,
    .enabled(if: LoginRig.unavailabilityReason == nil, "\(LoginRig.unavailabilityReason ?? "")"))
struct SleepSourceTests {
    private func withProbe(
        _ arguments: [String] = [], startsDaemon: Bool = true,
        _ body: (LoginRig, PrivateBus, ConditionsProbe) async throws -> Void
    ) async throws {
        let bus = try await PrivateBus()
        let rig = try LoginRig(bus: bus)
        let result: Result<Void, any Error>
        do {
            if startsDaemon { try await rig.spawn() }
            let probe = try ConditionsProbe(
                ["--without", "netlink", "--without", "networkManager", "--without", "upower"] + arguments,
                environment: bus.environment)
            do { result = .success(try await body(rig, bus, probe)) } catch { result = .failure(error) }
            await probe.end()
        } catch { result = .failure(error) }
        await rig.end()
        await bus.end()
        try result.get()
    }

    /// Waits until the probe holds `count` inhibitor locks.
    private func locks(_ count: Int, of probe: ConditionsProbe, in rig: LoginRig) async throws {
        var held: [String] = []
        for _ in 0..<1000 {
            held = try await rig.locks().filter { $0.hasSuffix("/\(probe.id)") }
            if held.count == count { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw RigError("\(held) are held in place of \(count) locks")
    }

    private func begun(_ target: String, in rig: LoginRig, within limit: Duration) async throws {
        let end = ContinuousClock.now + limit
        var begun = ""
        while ContinuousClock.now < end {
            begun = try await rig.begun()
            if begun == target { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw RigError("\(begun) has begun in place of \(target)")
    }

    @Test("Sleep is announced, held up until all is saved, and the next one again")
    func sleep() async throws {
        try await withProbe(["--ready", "promptly"]) { rig, _, probe in
            try await probe.line("sleep=awake/logind/reported/settled")
            for _ in 0..<2 {
                try await locks(1, of: probe, in: rig)
                #expect(try await rig.locks() == ["shutdown:sleep/delay/\(probe.id)"])
                try await rig.sleep()
                try await probe.line("sleep=about-to-sleep/logind/reported/changed")
                try await begun("suspend.target", in: rig, within: .seconds(30))
                // Well below the 4 s after which the sleep would begin anyway.
                #expect(try await rig.held() < .milliseconds(3500))
                #expect(try await rig.locks().isEmpty)
                try await rig.wake()
                try await probe.line("sleep=awake/logind/reported/changed")
            }
        }
    }

    @Test("Where nobody says that all is saved, sleep is held up for four seconds")
    func timeLimit() async throws {
        try await withProbe { rig, _, probe in
            try await probe.line("sleep=awake/logind")
            try await locks(1, of: probe, in: rig)
            let start = ContinuousClock.now
            try await rig.sleep()
            try await probe.line("sleep=about-to-sleep/logind")
            try await begun("suspend.target", in: rig, within: .seconds(30))
            #expect(ContinuousClock.now - start > .milliseconds(3900))
            try await locks(0, of: probe, in: rig)
        }
    }

    @Test("The machine's end is announced and held up likewise")
    func shutdown() async throws {
        try await withProbe(["--ready", "promptly"]) { rig, _, probe in
            try await probe.line("sleep=awake/logind")
            try await locks(1, of: probe, in: rig)
            try await rig.powerOff()
            try await probe.line("sleep=about-to-shut-down/logind/reported/changed")
            try await begun("poweroff.target", in: rig, within: .seconds(30))
        }
    }

    @Test("A logind that dies and comes back, or starts late, is given a new lock")
    func restart() async throws {
        try await withProbe(startsDaemon: false) { rig, bus, probe in
            try await probe.line("sleep=awake/none/assumed/settled")
            try await rig.spawn()
            try await probe.line("sleep=awake/logind/reported/settled")
            try await locks(1, of: probe, in: rig)
            try await rig.kill()
            try await probe.line("sleep=awake/none/assumed")
            try await rig.spawn()
            try await probe.line("sleep=awake/logind/reported")
            try await locks(1, of: probe, in: rig)
            // logind dies again, in the middle of an announcement. No service reports any more that the machine
            // sleeps.
            try await rig.sleep()
            try await probe.line("sleep=about-to-sleep/logind")
            try await rig.kill()
            try await probe.line("sleep=awake/none/assumed/changed")
        }
    }

    @Test("A logind that hangs from the start does not hold up the first snapshot, and is heard when it comes round")
    func hang() async throws {
        let bus = try await PrivateBus()
        let rig = try LoginRig(bus: bus)
        try await rig.spawn()
        try await rig.hang()
        let start = LineBuffer.now()
        let probe = try ConditionsProbe(
            ["--without", "netlink", "--without", "networkManager", "--without", "upower"], environment: bus.environment
        )
        let line = try await probe.line("sleep=awake/none/assumed/settled")
        #expect(line.time - start < 15_000_000_000)
        try await rig.resume()
        try await probe.line("sleep=awake/logind/reported/settled")
        try await locks(1, of: probe, in: rig)
        await probe.end()
        await rig.end()
        await bus.end()
    }
}
