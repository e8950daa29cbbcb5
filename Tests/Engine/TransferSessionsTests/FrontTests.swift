// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferSessions
import TransferTesting

@Suite("Foreground apps, and apps that were started for their sessions")
struct FrontTests {
    @Test(
        "S6, R2: tasks from the background are discretionary and delayed; R3: the foreground ends the delay")
    func inBackground() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client, registration: HostFixture.command)
            await fixture.host.setInFront(false, app: app.app)
            try await fixture.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            let first = await fixture.running(1, app.key())
            #expect(fixture.executor.specification(of: first)?.traits.kind == .discretionary)
            fixture.executor.finish(first)
            // The app runs and is called nevertheless, which counts as a relaunch (R1).
            await fixture.until("the call") { app.lines.last == "finished" }
            #expect(app.lines.first == "called")
            try await fixture.host.post(.submit(.download(2)), in: app.key(), from: app.client.name)
            let second = await fixture.transfer(2, app.key())
            await fixture.until("the hold") {
                await fixture.engine.explanation(of: second)?.reasons.map(\.reason.code) == ["rateLimited"]
            }
            await fixture.host.setInFront(true, app: app.app)
            _ = await fixture.running(2, app.key())
            #expect(await fixture.engine.relaunchDelays().delays.isEmpty)
        }
    }

    @Test("R3: a process that the user started is in front and ends the delay; a launched process does not")
    func startedByAPerson() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        fixture.launcher.setOutcome(.started(process: 500))
        try await fixture.run {
            try await fixture.submit(1...1, app)
            fixture.executor.finish(await fixture.running(1, app.key()))
            await fixture.until("the start") { fixture.sleeper.durations == [.seconds(30)] }
            let ours = FakeApp(process: 500)
            _ = try await fixture.host.open(.named(), by: ours.client)
            #expect(await fixture.host.read { $0.appStatuses() }.map(\.isInFront) == [false])
            await fixture.until("the delay") {
                await fixture.engine.relaunchDelays().delays.map(\.delay.delay) == [.seconds(60)]
            }
            for number in ours.numbers {
                try await fixture.host.acknowledge(number, in: app.key(), from: ours.client.name)
            }
            await fixture.host.disconnected(ours.client.name)
            let theirs = FakeApp(process: 300)
            // Until the launch has ended, it is unknown which process connects.
            await fixture.until("the front") {
                _ = try? await fixture.host.open(.named(), by: theirs.client)
                if await fixture.host.read({ $0.appStatuses() }).map(\.isInFront) == [true] { return true }
                await fixture.host.disconnected(theirs.client.name)
                return false
            }
            await fixture.until("the end of the delay") { await fixture.engine.relaunchDelays().delays.isEmpty }
        }
    }

    @Test("S6: children of a launched script are not in front, nor are programs that report so")
    func notInFront() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        fixture.launcher.setOutcome(.started(process: 500))
        try await fixture.run {
            try await fixture.submit(1...1, app)
            fixture.executor.finish(await fixture.running(1, app.key()))
            await fixture.until("the time limit") { fixture.sleeper.durations == [.seconds(30)] }
            let child = FakeApp(process: 501) { $0.leader = 500 }
            #expect(try await fixture.host.open(.named(), by: child.client).isInFront == false)
            await fixture.host.disconnected(child.client.name)
            let modest = FakeApp(process: 600) { ($0.leader, $0.isInFront) = (600, false) }
            #expect(try await fixture.host.open(.named(), by: modest.client).isInFront == false)
            #expect(await !fixture.engine.relaunchDelays().delays.isEmpty)
            await fixture.host.disconnected(modest.client.name)
            let other = FakeApp(process: 700) { $0.leader = 700 }
            #expect(try await fixture.host.open(.named(), by: other.client).isInFront)
        }
    }
}
