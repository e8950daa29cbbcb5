// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferSessions
import TransferTesting

@Suite("Apps in front, and apps that only their sessions started")
struct FrontTests {
    @Test(
        "S6, R2: what an app starts in the background is discretionary and held; R3: brought to the front, nothing is")
    func inBackground() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client, registration: HostRig.command)
            await rig.host.setInFront(false, app: app.app)
            try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            let first = await rig.running(1, app.key())
            #expect(rig.executor.specification(of: first)?.traits.kind == .discretionary)
            rig.executor.finish(first)
            // The app runs and is called nevertheless, which counts as a relaunch (R1).
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

    @Test("R3: a process that a person started is in front, which ends the delay; the one that was started is not")
    func startedByAPerson() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        rig.launcher.answer(.started(process: 500))
        try await rig.run {
            try await rig.handOver(1...1, app)
            rig.executor.finish(await rig.running(1, app.key()))
            await rig.until("the start") { rig.sleeper.durations == [.seconds(30)] }
            let ours = PlayedApp(process: 500)
            _ = try await rig.host.open(.named(), by: ours.client)
            #expect(await rig.host.read { $0.appStatuses() }.map(\.isInFront) == [false])
            await rig.until("the delay") {
                await rig.engine.relaunchDelays().delays.map(\.delay.delay) == [.seconds(60)]
            }
            for number in ours.numbers {
                try await rig.host.acknowledge(number, in: app.key(), from: ours.client.name)
            }
            await rig.host.disconnected(ours.client.name)
            let theirs = PlayedApp(process: 300)
            // Until the launch has ended, it is unknown which process connects.
            await rig.until("the front") {
                _ = try? await rig.host.open(.named(), by: theirs.client)
                if await rig.host.read({ $0.appStatuses() }).map(\.isInFront) == [true] { return true }
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
            _ = try await rig.host.open(.named(), by: app.client, registration: HostRig.command)
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
            try await first.handOver(1...1, app)
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
            let state = try await second.host.open(.named(), by: started.client, registration: HostRig.command)
            #expect(!state.isInFront)
            #expect(await second.engine.relaunchDelays().delays.map(\.delay.delay) == delays)
            try await second.host.post(.submit(.download(2)), in: app.key(), from: started.client.name)
            let held = await second.transfer(2, app.key())
            await second.until("the hold") {
                await second.engine.explanation(of: held)?.holds.map(\.reason.code) == ["rateLimited"]
            }
            // An app in front that only reconnects does not end the delay, but its own transfers are not held.
            await second.host.disconnected(started.client.name)
            let front = PlayedApp(process: 102) { ($0.isInFront, $0.isBack) = (true, true) }
            #expect(try await second.host.open(.named(), by: front.client).isInFront)
            #expect(await second.engine.relaunchDelays().delays.map(\.delay.delay) == delays)
            try await second.host.post(.submit(.download(3)), in: app.key(), from: front.client.name)
            _ = await second.running(3, app.key())
            #expect(second.executor.specification(of: held) == nil)
            await second.host.disconnected(front.client.name)
            // A new process is in front (R3).
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
            try await rig.handOver(1...1, app)
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
}
