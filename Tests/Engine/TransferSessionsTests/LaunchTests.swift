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
    @Test("L2, R6: the app is started once, when the last of a hundred tasks is over")
    func once() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            try await rig.handOver(1...100, app)
            for number in 1...100 {
                #expect(rig.launcher.calls.isEmpty)
                rig.executor.finish(await rig.running(number, app.key()))
                await rig.until("the end of \(number)") {
                    await rig.host.read { $0.tasks(of: app.key()) }.count == 100 - number
                }
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
            try await rig.handOver(1...1, app)
            rig.executor.finish(await rig.running(1, app.key()))
            await rig.until("the first wait") { rig.sleeper.durations == [.seconds(60)] }
            rig.launcher.answer(.crashed("signal 11"))
            rig.sleeper.wake(.seconds(60))
            await rig.until("the second wait") { rig.sleeper.durations == [.seconds(120)] }
            rig.launcher.answer(.started(process: nil))
            rig.sleeper.wake(.seconds(120))
            await rig.until("the patience") { rig.sleeper.durations == [.seconds(30)] }
            let status = try #require(await rig.host.read { $0.appStatuses() }.first)
            #expect(status.launches == 3)
            #expect(status.failures == 2)
            #expect(status.lastOutcome == .started(process: nil))
            #expect(status.waitingEvents == 3)
            // The app connects after all.
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
            try await rig.handOver(1...1, app)
            rig.executor.finish(await rig.running(1, app.key()))
            for (start, pause) in zip(1..., [60, 120, 240] as [Int64]) {
                await rig.until("start \(start)") {
                    rig.launcher.calls.count == start && rig.sleeper.durations == [.seconds(30)]
                }
                let started = PlayedApp(process: Int32(200 + start))
                _ = try await rig.host.open(.named(), by: started.client)
                await rig.host.disconnected(started.client.name)
                // The host does not wait for an app that has disconnected.
                await rig.until("the pause") { rig.sleeper.durations == [.seconds(pause)] }
                rig.sleeper.wake(.seconds(pause))
            }
            // An app that hangs with its session and then disconnects is treated alike.
            await rig.until("one more start") { rig.sleeper.durations == [.seconds(30)] }
            let hung = PlayedApp(process: 300)
            _ = try await rig.host.open(.named(), by: hung.client)
            rig.sleeper.wake(.seconds(30))
            await rig.until("the end of the patience") { rig.sleeper.durations.isEmpty }
            await rig.host.disconnected(hung.client.name)
            await rig.until("the pause") { rig.sleeper.durations == [.seconds(480)] }
            // A person starts the app, and the app handles all events.
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
                .named { $0.sendsLaunchEvents = false }, by: quiet.client, registration: HostRig.command)
            #expect(quietState.warning == nil)
            let unknownState = try await rig.host.open(.named(), by: unknown.client)
            #expect(unknownState.warning?.contains("'unknown'") == true)
            for app in [quiet, unknown] {
                try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
                await rig.host.disconnected(app.client.name)
                rig.executor.finish(await rig.running(1, app.key()))
                await rig.until("the end") { await rig.host.read { $0.tasks(of: app.key()) }.isEmpty }
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
            try await rig.handOver(1...2, app)
            _ = await rig.running(2, app.key())
            #expect(await rig.host.read { $0.tasks(of: app.key()) }.count == 2)
            await rig.host.quit(app.app)
            await rig.until("the ends") { await rig.host.read { $0.tasks(of: app.key()) }.isEmpty }
            #expect(rig.launcher.calls.isEmpty)
            let later = PlayedApp(process: 101)
            _ = try await rig.host.open(.named(), by: later.client)
            #expect(later.lines == ["1 completed -999", "2 completed -999", "finished"])
        }
    }

    @Test("L2: while an app is being started for a session it is not started for another one")
    func oneAtATime() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            for identifier in ["a", "b"] {
                _ = try await rig.host.open(
                    .named(identifier), by: app.client, registration: HostRig.command)
                try await rig.host.post(.submit(.download(1)), in: app.key(identifier), from: app.client.name)
            }
            await rig.host.disconnected(app.client.name)
            rig.executor.finish(await rig.running(1, app.key("a")))
            await rig.until("the start") { rig.sleeper.durations == [.seconds(30)] }
            rig.executor.finish(await rig.running(1, app.key("b")))
            await rig.until("the other end") { await rig.host.read { $0.tasks(of: app.key("b")) }.isEmpty }
            #expect(rig.launcher.calls == ["org.example.App a"])
            // The app came for the first session. Now it is the other session's turn.
            let later = PlayedApp(process: 101)
            _ = try await rig.host.open(.named("a"), by: later.client)
            for number in later.numbers {
                try await rig.host.acknowledge(number, in: app.key("a"), from: later.client.name)
            }
            await rig.until("the other start") { rig.launcher.calls == ["org.example.App a", "org.example.App b"] }
        }
    }

    @Test("R4: one task after another, each given by the app that was started for the one before: 60, 120, 240 … s")
    func oneByOne() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            try await rig.handOver(1...1, app)
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
