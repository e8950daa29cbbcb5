// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferSessions
import TransferTesting

@Suite("Starting apps for their sessions")
struct LaunchTests {
    private let command = AppRegistration.command(["/bin/app"])

    /// Hands tasks over, and goes.
    private func handOver(_ numbers: ClosedRange<Int>, _ rig: HostRig, _ app: PlayedApp) async throws {
        _ = try await rig.host.open(.named(), by: app.client, registration: command)
        for number in numbers {
            try await rig.host.post(.submit(.download(number)), in: app.key(), from: app.client.name)
        }
        await rig.host.disconnected(app.client.name)
    }

    @Test("L2, R6: the app is started once, when the last of a hundred tasks is over")
    func once() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            try await handOver(1...100, rig, app)
            for number in 1...100 {
                #expect(rig.launcher.calls.isEmpty)
                rig.executor.finish(await rig.running(number, app.key()))
                await rig.until("the end of \(number)") { await rig.host.tasks(of: app.key()).count == 100 - number }
            }
            await rig.until("the start") { rig.launcher.calls == ["org.example.App s"] }
            let later = PlayedApp(process: 101)
            _ = try await rig.host.open(.named(), by: later.client)
            #expect(later.lines.count == 301)
            #expect(later.lines.last == "finished")
            for number in later.numbers {
                try await rig.host.acknowledge(number, in: app.key(), from: later.client.name)
            }
            await rig.host.disconnected(later.client.name)
            #expect(rig.launcher.calls.count == 1)
            await rig.until("the delay") {
                await rig.engine.relaunchDelays().delays.map(\.delay.delay) == [.seconds(60)]
            }
        }
    }

    @Test("L2: an app that does not come is started again after the limiter's delay, which grows; it is told apart")
    func again() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        rig.launcher.answer(.missing("no such program"))
        try await rig.run {
            try await handOver(1...1, rig, app)
            rig.executor.finish(await rig.running(1, app.key()))
            await rig.until("the first wait") { rig.sleeper.durations == [.seconds(60)] }
            rig.launcher.answer(.crashed("signal 11"))
            rig.sleeper.wake(.seconds(60))
            await rig.until("the second wait") { rig.sleeper.durations == [.seconds(120)] }
            rig.launcher.answer(.started(process: nil))
            rig.sleeper.wake(.seconds(120))
            await rig.until("the patience") { rig.sleeper.durations == [.seconds(30)] }
            let status = try #require(await rig.host.appStatuses().first)
            #expect(status.launches == 3)
            #expect(status.failures == 2)
            #expect(status.lastOutcome == .started(process: nil))
            #expect(status.waitingEvents == 3)
            // It came after all.
            let later = PlayedApp(process: 101)
            _ = try await rig.host.open(.named(), by: later.client)
            for number in later.numbers {
                try await rig.host.acknowledge(number, in: app.key(), from: later.client.name)
            }
            await rig.until("the end of the patience") { rig.sleeper.durations.isEmpty }
            #expect(rig.launcher.calls.count == 3)
        }
    }

    @Test("An app that crashes as soon as it has its session is started again after 60, 120, 240 s")
    func crashes() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            try await handOver(1...1, rig, app)
            rig.executor.finish(await rig.running(1, app.key()))
            for (start, pause) in zip(1..., [60, 120, 240] as [Int64]) {
                await rig.until("start \(start)") {
                    rig.launcher.calls.count == start && rig.sleeper.durations == [.seconds(30)]
                }
                let started = PlayedApp(process: Int32(200 + start))
                _ = try await rig.host.open(.named(), by: started.client)
                await rig.host.disconnected(started.client.name)
                // Nobody is waited for who has gone.
                await rig.until("the pause") { rig.sleeper.durations == [.seconds(pause)] }
                rig.sleeper.wake(.seconds(pause))
            }
            // One that hangs with its session, and goes then, is no better.
            await rig.until("one more start") { rig.sleeper.durations == [.seconds(30)] }
            let hung = PlayedApp(process: 300)
            _ = try await rig.host.open(.named(), by: hung.client)
            rig.sleeper.wake(.seconds(30))
            await rig.until("the end of the patience") { rig.sleeper.durations.isEmpty }
            await rig.host.disconnected(hung.client.name)
            await rig.until("the pause") { rig.sleeper.durations == [.seconds(480)] }
            // A person starts it, and it deals with all.
            let last = PlayedApp(process: 301)
            _ = try await rig.host.open(.named(), by: last.client)
            for number in last.numbers {
                try await rig.host.acknowledge(number, in: app.key(), from: last.client.name)
            }
            await rig.until("the end of the pause") { rig.sleeper.durations.isEmpty }
            #expect(rig.launcher.calls.count == 4)
        }
    }

    @Test(
        "S7, L3: without launch events, or where nobody said how, the app is not started, and is warned of the latter")
    func notStarted() async throws {
        let rig = HostRig()
        let (quiet, unknown) = (PlayedApp("quiet", process: 1), PlayedApp("unknown", process: 2))
        try await rig.run {
            let quietState = try await rig.host.open(
                .named { $0.sendsLaunchEvents = false }, by: quiet.client, registration: command)
            #expect(quietState.warning == nil)
            let unknownState = try await rig.host.open(.named(), by: unknown.client)
            #expect(unknownState.warning?.contains("'unknown'") == true)
            for app in [quiet, unknown] {
                try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
                await rig.host.disconnected(app.client.name)
                rig.executor.finish(await rig.running(1, app.key()))
                await rig.until("the end") { await rig.host.tasks(of: app.key()).isEmpty }
            }
            #expect(rig.launcher.calls.isEmpty)
            for app in [quiet, unknown] {
                let later = PlayedApp(app.app, process: 101)
                _ = try await rig.host.open(.named(), by: later.client)
                #expect(later.lines.last == "finished")
            }
        }
    }

    @Test("L4: after a force quit its tasks are cancelled and it is not started; a disconnect alone cancels nothing")
    func quit() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            try await handOver(1...2, rig, app)
            _ = await rig.running(2, app.key())
            #expect(await rig.host.tasks(of: app.key()).count == 2)
            await rig.host.quit(app.app)
            await rig.until("the ends") { await rig.host.tasks(of: app.key()).isEmpty }
            #expect(rig.launcher.calls.isEmpty)
            let later = PlayedApp(process: 101)
            _ = try await rig.host.open(.named(), by: later.client)
            #expect(later.lines == ["1 completed -999", "2 completed -999", "finished"])
        }
    }

    @Test(
        "S6, R2: what an app starts in the background is discretionary and held; R3: brought to the front, nothing is")
    func inBackground() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client, registration: command)
            await rig.host.setInFront(false, app: app.app)
            try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            let first = await rig.running(1, app.key())
            #expect(rig.executor.specification(of: first)?.traits.kind == .discretionary)
            rig.executor.finish(first)
            // It runs and is called all the same, which counts (R1).
            await rig.until("the call") { app.lines.last == "finished" }
            #expect(app.lines.first == "called")
            try await rig.host.post(.submit(.download(2)), in: app.key(), from: app.client.name)
            let second = await rig.transfer(2, app.key())
            await rig.until("the hold") {
                await rig.engine.explanation(of: second)?.holds.map(\.reason.code) == ["rateLimited"]
            }
            await rig.host.setInFront(true, app: app.app)
            _ = await rig.running(2, app.key())
            #expect(await rig.engine.relaunchDelays().delays.isEmpty)
        }
    }

    @Test("L2: while an app is being started for a session it is not started for another one")
    func oneAtATime() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            for identifier in ["a", "b"] {
                _ = try await rig.host.open(
                    .named(identifier), by: app.client, registration: command)
                try await rig.host.post(.submit(.download(1)), in: app.key(identifier), from: app.client.name)
            }
            await rig.host.disconnected(app.client.name)
            rig.executor.finish(await rig.running(1, app.key("a")))
            await rig.until("the start") { rig.sleeper.durations == [.seconds(30)] }
            rig.executor.finish(await rig.running(1, app.key("b")))
            await rig.until("the other end") { await rig.host.tasks(of: app.key("b")).isEmpty }
            #expect(rig.launcher.calls == ["org.example.App a"])
            // It came for the first one: now it is the other one's turn.
            let later = PlayedApp(process: 101)
            _ = try await rig.host.open(.named("a"), by: later.client)
            for number in later.numbers {
                try await rig.host.acknowledge(number, in: app.key("a"), from: later.client.name)
            }
            await rig.until("the other start") { rig.launcher.calls == ["org.example.App a", "org.example.App b"] }
        }
    }

    @Test("R3: a process that a person started is in front, which ends the delay; the one that was started is not")
    func startedByAPerson() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        rig.launcher.answer(.started(process: 500))
        try await rig.run {
            try await handOver(1...1, rig, app)
            rig.executor.finish(await rig.running(1, app.key()))
            await rig.until("the start") { rig.sleeper.durations == [.seconds(30)] }
            let ours = PlayedApp(process: 500)
            _ = try await rig.host.open(.named(), by: ours.client)
            #expect(await rig.host.appStatuses().map(\.isInFront) == [false])
            await rig.until("the delay") {
                await rig.engine.relaunchDelays().delays.map(\.delay.delay) == [.seconds(60)]
            }
            for number in ours.numbers {
                try await rig.host.acknowledge(number, in: app.key(), from: ours.client.name)
            }
            await rig.host.disconnected(ours.client.name)
            let theirs = PlayedApp(process: 300)
            // Until the start is over, nobody can tell who comes.
            await rig.until("the front") {
                _ = try? await rig.host.open(.named(), by: theirs.client)
                if await rig.host.appStatuses().map(\.isInFront) == [true] { return true }
                await rig.host.disconnected(theirs.client.name)
                return false
            }
            await rig.until("the end of the delay") { await rig.engine.relaunchDelays().delays.isEmpty }
        }
    }

    @Test("R1: events that reach an app in front count for nothing, and it is not called")
    func inFront() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client, registration: command)
            try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            rig.executor.finish(await rig.running(1, app.key()))
            await rig.until("the end") { app.lines.last == "1 completed " }
            #expect(!app.lines.contains("called"))
            #expect(await rig.engine.relaunchDelays().delays.isEmpty)
            #expect(rig.launcher.calls.isEmpty)
        }
    }

    @Test("R5: an app that finds its sessions again after this program's restart has not come to the front by that")
    func comesBack() async throws {
        let disks = HostDisks()
        let first = HostRig(disks)
        let app = PlayedApp()
        try await first.run {
            try await handOver(1...1, first, app)
            first.executor.finish(await first.running(1, app.key()))
            await first.until("the start") { first.launcher.calls.count == 1 }
            let started = PlayedApp(process: 101)
            #expect(try await first.host.open(.named(), by: started.client).isInFront == false)
            for number in started.numbers {
                try await first.host.acknowledge(number, in: app.key(), from: started.client.name)
            }
            await first.until("the delay") {
                await first.engine.relaunchDelays().delays.first?.delay.delay == .seconds(60)
            }
        }
        let second = HostRig(disks, now: first.alarm.now())
        try await second.run {
            let delays = [Duration.seconds(60)]
            await second.until("the delay that was kept") {
                await second.engine.relaunchDelays().delays.map(\.delay.delay) == delays
            }
            let started = PlayedApp(process: 101) { ($0.isInFront, $0.isBack) = (false, true) }
            let state = try await second.host.open(.named(), by: started.client, registration: command)
            #expect(!state.isInFront)
            #expect(await second.engine.relaunchDelays().delays.map(\.delay.delay) == delays)
            try await second.host.post(.submit(.download(2)), in: app.key(), from: started.client.name)
            let held = await second.transfer(2, app.key())
            await second.until("the hold") {
                await second.engine.explanation(of: held)?.holds.map(\.reason.code) == ["rateLimited"]
            }
            // One that a person works with has done nothing new either; what it starts is not held.
            await second.host.disconnected(started.client.name)
            let front = PlayedApp(process: 102) { ($0.isInFront, $0.isBack) = (true, true) }
            #expect(try await second.host.open(.named(), by: front.client).isInFront)
            #expect(await second.engine.relaunchDelays().delays.map(\.delay.delay) == delays)
            try await second.host.post(.submit(.download(3)), in: app.key(), from: front.client.name)
            _ = await second.running(3, app.key())
            #expect(second.executor.specification(of: held) == nil)
            await second.host.disconnected(front.client.name)
            // And one that is new is in front (R3).
            _ = try await second.host.open(.named(), by: PlayedApp(process: 103).client)
            _ = await second.running(2, app.key())
            #expect(await second.engine.relaunchDelays().delays.isEmpty)
        }
    }

    @Test("S6: what a script that was started starts is not in front, nor is a program that says that it is not")
    func notInFront() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        rig.launcher.answer(.started(process: 500))
        try await rig.run {
            try await handOver(1...1, rig, app)
            rig.executor.finish(await rig.running(1, app.key()))
            await rig.until("the patience") { rig.sleeper.durations == [.seconds(30)] }
            let child = PlayedApp(process: 501) { $0.leader = 500 }
            #expect(try await rig.host.open(.named(), by: child.client).isInFront == false)
            await rig.host.disconnected(child.client.name)
            let modest = PlayedApp(process: 600) { ($0.leader, $0.isInFront) = (600, false) }
            #expect(try await rig.host.open(.named(), by: modest.client).isInFront == false)
            #expect(await !rig.engine.relaunchDelays().delays.isEmpty)
            await rig.host.disconnected(modest.client.name)
            let other = PlayedApp(process: 700) { $0.leader = 700 }
            #expect(try await rig.host.open(.named(), by: other.client).isInFront)
        }
    }

    @Test("R4: one task after another, each given by the app that was started for the one before: 60, 120, 240 … s")
    func oneByOne() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            try await handOver(1...1, rig, app)
            var expected = Duration.seconds(60)
            for number in 1...5 {
                rig.executor.finish(await rig.running(number, app.key()))
                await rig.until("start \(number)") { rig.launcher.calls.count == number }
                let later = PlayedApp(process: Int32(200 + number))
                _ = try await rig.host.open(.named(), by: later.client)
                let delay = expected
                await rig.until("a delay of \(delay)") {
                    await rig.engine.relaunchDelays().delays.first?.delay.delay == delay
                }
                try await rig.host.post(.submit(.download(number + 1)), in: app.key(), from: later.client.name)
                for event in later.numbers {
                    try await rig.host.acknowledge(event, in: app.key(), from: later.client.name)
                }
                await rig.host.disconnected(later.client.name)
                let held = await rig.transfer(number + 1, app.key())
                await rig.until("the hold") { await rig.engine.explanation(of: held) != nil }
                rig.alarm.advance(by: expected - .seconds(1))
                await Task.yield()
                #expect(rig.executor.specification(of: held) == nil)
                rig.alarm.advance(by: .seconds(2))
                expected = expected * 2
            }
        }
    }
}
