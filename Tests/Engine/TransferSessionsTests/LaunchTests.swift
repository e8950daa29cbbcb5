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
    @Test("L2, R6: the app is started once, after the last of a hundred tasks")
    func once() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            try await fixture.submit(1...100, app)
            for number in 1...100 {
                #expect(fixture.launcher.calls.isEmpty)
                fixture.executor.finish(await fixture.running(number, app.key()))
                await fixture.until("the end of \(number)") {
                    await fixture.host.read { $0.tasks(of: app.key()) }.count == 100 - number
                }
            }
            await fixture.until("the start") { fixture.launcher.calls == ["org.example.App s"] }
            let later = FakeApp(process: 101)
            _ = try await fixture.host.open(.named(), by: later.client)
            #expect(later.lines.count == 301)
            #expect(later.lines.last == "finished")
            for number in later.numbers {
                try await fixture.host.acknowledge(number, in: app.key(), from: later.client.name)
            }
            await fixture.host.disconnected(later.client.name)
            #expect(fixture.launcher.calls.count == 1)
            await fixture.until("the delay") {
                await fixture.engine.relaunchDelays().delays.map(\.delay.delay) == [.seconds(60)]
            }
        }
    }

    @Test("L2: an app that does not open its session is started again after the limiter's growing delay")
    func again() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        fixture.launcher.setOutcome(.missing("no such program"))
        try await fixture.run {
            try await fixture.submit(1...1, app)
            fixture.executor.finish(await fixture.running(1, app.key()))
            await fixture.until("the first wait") { fixture.sleeper.durations == [.seconds(60)] }
            fixture.launcher.setOutcome(.crashed("signal 11"))
            fixture.sleeper.wake(.seconds(60))
            await fixture.until("the second wait") { fixture.sleeper.durations == [.seconds(120)] }
            fixture.launcher.setOutcome(.started(process: nil))
            fixture.sleeper.wake(.seconds(120))
            await fixture.until("the time limit") { fixture.sleeper.durations == [.seconds(30)] }
            let status = try #require(await fixture.host.read { $0.appStatuses() }.first)
            #expect(status.launches == 3)
            #expect(status.failures == 2)
            #expect(status.lastOutcome == .started(process: nil))
            #expect(status.waitingEvents == 3)
            // The app connects after all.
            let later = FakeApp(process: 101)
            _ = try await fixture.host.open(.named(), by: later.client)
            for number in later.numbers {
                try await fixture.host.acknowledge(number, in: app.key(), from: later.client.name)
            }
            await fixture.until("the end of the time limit") { fixture.sleeper.durations.isEmpty }
            #expect(fixture.launcher.calls.count == 3)
        }
    }

    @Test("An app that crashes after opening its session is started again after 60, 120, 240 s")
    func crashes() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            try await fixture.submit(1...1, app)
            fixture.executor.finish(await fixture.running(1, app.key()))
            for (start, pause) in zip(1..., [60, 120, 240] as [Int64]) {
                await fixture.until("start \(start)") {
                    fixture.launcher.calls.count == start && fixture.sleeper.durations == [.seconds(30)]
                }
                let started = FakeApp(process: Int32(200 + start))
                _ = try await fixture.host.open(.named(), by: started.client)
                await fixture.host.disconnected(started.client.name)
                // The host does not wait for an app that has disconnected.
                await fixture.until("the pause") { fixture.sleeper.durations == [.seconds(pause)] }
                fixture.sleeper.wake(.seconds(pause))
            }
            // An app that hangs with its session and then disconnects is treated alike.
            await fixture.until("one more start") { fixture.sleeper.durations == [.seconds(30)] }
            let hung = FakeApp(process: 300)
            _ = try await fixture.host.open(.named(), by: hung.client)
            fixture.sleeper.wake(.seconds(30))
            await fixture.until("the end of the time limit") { fixture.sleeper.durations.isEmpty }
            await fixture.host.disconnected(hung.client.name)
            await fixture.until("the pause") { fixture.sleeper.durations == [.seconds(480)] }
            // The user starts the app, and the app handles all events.
            let last = FakeApp(process: 301)
            _ = try await fixture.host.open(.named(), by: last.client)
            for number in last.numbers {
                try await fixture.host.acknowledge(number, in: app.key(), from: last.client.name)
            }
            await fixture.until("the end of the pause") { fixture.sleeper.durations.isEmpty }
            #expect(fixture.launcher.calls.count == 4)
        }
    }

    @Test(
        "S7, L3: without launch events or a launch method, the app is not started; the latter causes a warning")
    func notStarted() async throws {
        let fixture = HostFixture()
        let (quiet, unknown) = (FakeApp("quiet", process: 1), FakeApp("unknown", process: 2))
        try await fixture.run {
            let quietState = try await fixture.host.open(
                .named { $0.sendsLaunchEvents = false }, by: quiet.client, registration: HostFixture.command)
            #expect(quietState.warning == nil)
            let unknownState = try await fixture.host.open(.named(), by: unknown.client)
            #expect(unknownState.warning?.contains("'unknown'") == true)
            for app in [quiet, unknown] {
                try await fixture.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
                await fixture.host.disconnected(app.client.name)
                fixture.executor.finish(await fixture.running(1, app.key()))
                await fixture.until("the end") { await fixture.host.read { $0.tasks(of: app.key()) }.isEmpty }
            }
            #expect(fixture.launcher.calls.isEmpty)
            for app in [quiet, unknown] {
                let later = FakeApp(app.app, process: 101)
                _ = try await fixture.host.open(.named(), by: later.client)
                #expect(later.lines.last == "finished")
            }
        }
    }

    @Test("L4: a force quit cancels the tasks and prevents a launch; a disconnect cancels nothing")
    func quit() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            try await fixture.submit(1...2, app)
            _ = await fixture.running(2, app.key())
            #expect(await fixture.host.read { $0.tasks(of: app.key()) }.count == 2)
            await fixture.host.quit(app.app)
            await fixture.until("the ends") { await fixture.host.read { $0.tasks(of: app.key()) }.isEmpty }
            #expect(fixture.launcher.calls.isEmpty)
            let later = FakeApp(process: 101)
            _ = try await fixture.host.open(.named(), by: later.client)
            #expect(later.lines == ["1 completed -999", "2 completed -999", "finished"])
        }
    }

    @Test("L2: while an app is being started for a session, it is not started for another session")
    func oneAtATime() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            for identifier in ["a", "b"] {
                _ = try await fixture.host.open(
                    .named(identifier), by: app.client, registration: HostFixture.command)
                try await fixture.host.post(.submit(.download(1)), in: app.key(identifier), from: app.client.name)
            }
            await fixture.host.disconnected(app.client.name)
            fixture.executor.finish(await fixture.running(1, app.key("a")))
            await fixture.until("the start") { fixture.sleeper.durations == [.seconds(30)] }
            fixture.executor.finish(await fixture.running(1, app.key("b")))
            await fixture.until("the other end") { await fixture.host.read { $0.tasks(of: app.key("b")) }.isEmpty }
            #expect(fixture.launcher.calls == ["org.example.App a"])
            // The app came for the first session. Now it is the other session's turn.
            let later = FakeApp(process: 101)
            _ = try await fixture.host.open(.named("a"), by: later.client)
            for number in later.numbers {
                try await fixture.host.acknowledge(number, in: app.key("a"), from: later.client.name)
            }
            await fixture.until("the other start") {
                fixture.launcher.calls == ["org.example.App a", "org.example.App b"]
            }
        }
    }

    @Test("R4: an app that is launched for each task and submits the next one waits 60, 120, 240 … s")
    func oneByOne() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            try await fixture.submit(1...1, app)
            var expected = Duration.seconds(60)
            for number in 1...5 {
                fixture.executor.finish(await fixture.running(number, app.key()))
                await fixture.until("start \(number)") { fixture.launcher.calls.count == number }
                let later = FakeApp(process: Int32(200 + number))
                _ = try await fixture.host.open(.named(), by: later.client)
                let delay = expected
                await fixture.until("a delay of \(delay)") {
                    await fixture.engine.relaunchDelays().delays.first?.delay.delay == delay
                }
                try await fixture.host.post(.submit(.download(number + 1)), in: app.key(), from: later.client.name)
                for event in later.numbers {
                    try await fixture.host.acknowledge(event, in: app.key(), from: later.client.name)
                }
                await fixture.host.disconnected(later.client.name)
                let held = await fixture.transfer(number + 1, app.key())
                await fixture.until("the hold") { await fixture.engine.explanation(of: held) != nil }
                fixture.alarm.advance(by: expected - .seconds(1))
                await Task.yield()
                #expect(fixture.executor.specification(of: held) == nil)
                fixture.alarm.advance(by: .seconds(2))
                expected = expected * 2
            }
        }
    }
}
