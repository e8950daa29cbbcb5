// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// Tests of `transferctl run` on a machine whose plug the test pulls.
@Suite(
    "run and the plug",
    .enabled(if: PowerFixture.unavailabilityReason == nil, "\(PowerFixture.unavailabilityReason ?? "")"))
struct RunPowerTests {
    @Test("Waits on battery, starts after AC settles, freezes within 5 s, continues, and ends with its own status")
    func freeze() async throws {
        let fixture = try await RunPowerFixture(pluggedIn: false)
        let run = try fixture.start("--on-loss", "freeze")
        try await run.waitForMessage("sh: waiting: ")
        #expect(run.errors.contains("starts 10 s after you plug in"), "\(run.errors)")
        try await Task.sleep(for: .seconds(2))
        #expect(fixture.count == 0)

        let plugging = Date()
        try await fixture.power.setAC(true)
        let settled = try await fixture.awaitCounting(within: 30)
        print("plugged in to the start: \(settled) s")
        // UPower may report the plug before the call returns.
        #expect(Date().timeIntervalSince(plugging) >= 9.9 && settled <= 10 + Tolerance.seconds)

        let unplugging = Date()
        try await fixture.power.setAC(false)
        let unplugged = Date().timeIntervalSince(unplugging)
        let frozen = try await fixture.awaitSilence(within: 20)
        print("unplugged to the freeze: \(frozen) s, after \(unplugged) s to unplug")
        // UPower may report the loss before the call returns.
        #expect(unplugged + frozen >= 3.5 && frozen <= 5 + Tolerance.seconds)
        try await run.waitForMessage("sh: frozen: ")
        #expect(run.process.exitStatus == nil)

        let replugging = Date()
        try await fixture.power.setAC(true)
        let continued = try await fixture.awaitCounting(within: 30)
        print("plugged in to going on: \(continued) s")
        #expect(Date().timeIntervalSince(replugging) >= 9.9 && continued <= 10 + Tolerance.seconds)
        try fixture.letEnd()
        #expect(try await run.process.wait(within: 20) == 5)
        #expect(run.errors.contains("sh: continues"))
        #expect(fixture.lines("starts") == ["start"] && fixture.lines("signals").isEmpty)
        await fixture.end()
    }

    @Test("wait, the default, lets the command finish on battery")
    func wait() async throws {
        let fixture = try await RunPowerFixture(pluggedIn: true)
        let run = try fixture.start()
        try await fixture.awaitCounting(within: 30)
        try await fixture.power.setAC(false)
        try await Task.sleep(for: .seconds(7))
        try await fixture.awaitCounting(within: 1 + Tolerance.seconds)
        try fixture.letEnd()
        #expect(try await run.process.wait(within: 20) == 5)
        await fixture.end()
    }

    @Test("stop ends the command and its children with SIGTERM, and ends with 75")
    func stop() async throws {
        let fixture = try await RunPowerFixture(pluggedIn: true)
        let run = try fixture.start("--on-loss", "stop")
        try await fixture.awaitCounting(within: 30)
        try await fixture.power.setAC(false)
        #expect(try await run.process.wait(within: 15) == 75)
        #expect(fixture.lines("signals") == ["ended"])
        #expect(run.errors.contains("the conditions were lost"), "\(run.errors)")
        let count = fixture.count
        try await Task.sleep(for: .seconds(1))
        #expect(fixture.count == count, "a child still runs")
        await fixture.end()
    }

    @Test("A command that ignores SIGTERM is killed after --grace")
    func kill() async throws {
        let fixture = try await RunPowerFixture(pluggedIn: true)
        let run = try fixture.program.start([
            "run", "--when", "ac", "--sysfs-root", fixture.power.sysfsRoot, "--on-loss", "stop", "--grace", "2s", "--",
            "sh", "-c", "trap '' TERM; while :; do printf x >> count; sleep 0.1; done",
        ])
        try await fixture.awaitCounting(within: 30)
        let unplugged = Date()
        try await fixture.power.setAC(false)
        #expect(try await run.process.wait(within: 20) == 75)
        let seconds = Date().timeIntervalSince(unplugged)
        print("unplugged to SIGKILL: \(seconds) s")
        #expect(seconds >= 5.5 && seconds <= 7 + Tolerance.seconds)
        await fixture.end()
    }

    @Test("restart ends the command, and starts it again on AC")
    func restart() async throws {
        let fixture = try await RunPowerFixture(pluggedIn: true)
        let run = try fixture.start("--on-loss", "restart")
        try await fixture.awaitCounting(within: 30)
        try await fixture.power.setAC(false)
        try await fixture.awaitLines(["ended"], in: "signals", within: 20)
        try await fixture.power.setAC(true)
        try await fixture.awaitLines(["start", "start"], in: "starts", within: 30)
        try fixture.letEnd()
        #expect(try await run.process.wait(within: 20) == 5)
        await fixture.end()
    }

    @Test("If the watcher is killed, a frozen command continues within 5 s")
    func killed() async throws {
        let fixture = try await RunPowerFixture(pluggedIn: true)
        let run = try fixture.start("--on-loss", "freeze")
        try await fixture.awaitCounting(within: 30)
        try await fixture.power.setAC(false)
        _ = try await fixture.awaitSilence(within: 20)
        run.process.signal(SIGKILL)
        let seconds = try await fixture.awaitCounting(within: 5 + Tolerance.seconds)
        print("watcher killed to going on: \(seconds) s")
        await fixture.end()
    }

    @Test("If the guardian is killed first, another one takes its place")
    func guardianKilled() async throws {
        let fixture = try await RunPowerFixture(pluggedIn: true)
        let run = try fixture.start("--on-loss", "freeze")
        try await fixture.awaitCounting(within: 30)
        try await fixture.power.setAC(false)
        _ = try await fixture.awaitSilence(within: 20)
        let first = try #require(ProcessList.children(of: run.process.id).first { $0.name == "transfer-guard" })
        Foundation.kill(first.id, SIGKILL)
        try await waitUntil("another guardian", within: 5) {
            ProcessList.children(of: run.process.id).contains { $0.name == "transfer-guard" && $0.id != first.id }
        }
        #expect(try await fixture.awaitSilence(within: 5) == 0)
        run.process.signal(SIGKILL)
        try await fixture.awaitCounting(within: 5 + Tolerance.seconds)
        await fixture.end()
    }

    @Test("A frozen command gets SIGTERM, and ends in an orderly way")
    func terminated() async throws {
        let fixture = try await RunPowerFixture(pluggedIn: true)
        let run = try fixture.start("--on-loss", "freeze")
        try await fixture.awaitCounting(within: 30)
        try await fixture.power.setAC(false)
        _ = try await fixture.awaitSilence(within: 20)
        run.process.signal(SIGTERM)
        #expect(try await run.process.wait(within: 10) == 6)
        #expect(fixture.lines("signals") == ["ended"])
        await fixture.end()
    }

    @Test("The deadline continues a frozen command on battery")
    func deadline() async throws {
        let fixture = try await RunPowerFixture(pluggedIn: true)
        let began = Date()
        let run = try fixture.start("--on-loss", "freeze", "--by", "+14s")
        try await fixture.awaitCounting(within: 30)
        try await fixture.power.setAC(false)
        _ = try await fixture.awaitSilence(within: 12)
        try await fixture.awaitCounting(within: 20)
        #expect(Date().timeIntervalSince(began) >= 13)
        try fixture.letEnd()
        #expect(try await run.process.wait(within: 20) == 5)
        await fixture.end()
    }
}
