// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferSessions
import TransferTesting

@Suite("Tasks of sessions over an engine: pauses, kept bytes and numbers")
struct HostTaskTests {
    @Test("T6: a pause keeps a task from running, over a restart, until it is resumed")
    func pauses() async throws {
        let disks = HostDisks()
        let app = PlayedApp()
        let rig = HostRig(disks)
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            let id = await rig.running(1, app.key())
            try await rig.host.post(.suspend(1), in: app.key(), from: app.client.name)
            await rig.until("the stop") { rig.executor.log.contains(.stop(id)) }
            await rig.host.disconnected(app.client.name)
        }
        let again = HostRig(disks)
        let later = PlayedApp(process: 101)
        try await again.run {
            let state = try await again.host.open(.named(), by: later.client)
            #expect(state.tasks.map(\.isSuspended) == [true])
            try await again.host.post(.submit(.download(2)), in: app.key(), from: later.client.name)
            _ = await again.running(2, app.key())
            let id = await again.transfer(1, app.key())
            #expect(again.executor.specification(of: id) == nil)
            try await again.host.post(.resume(1), in: app.key(), from: later.client.name)
            again.executor.finish(await again.running(1, app.key()))
            await again.until("the end") { later.lines.last == "1 completed " }
        }
    }

    @Test(
        "L5, T6: what was saved and not handed over before the end is done at the next start: a pause, a cancellation")
    func stoppedLate() async throws {
        let disks = HostDisks()
        let app = PlayedApp()
        let rig = HostRig(disks)
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            for number in 1...2 {
                try await rig.host.post(.submit(.download(number)), in: app.key(), from: app.client.name)
                _ = await rig.running(number, app.key())
            }
        }
        // The previous run ended between saving the tasks and changing their transfers.
        let store = InMemorySessionStore(disk: disks.sessions, transfers: InMemoryTransferStore(disk: disks.transfers))
        var (paused, cancelled) = (TaskRecord(snapshot: .download(1)), TaskRecord(snapshot: .download(2)))
        paused.snapshot.isSuspended = true
        cancelled.isCancelled = true
        try await store.commit([.task(app.key(), paused), .task(app.key(), cancelled)])
        let again = HostRig(disks)
        let later = PlayedApp(process: 101)
        try await again.run {
            _ = try await again.host.open(.named(), by: later.client)
            await again.until("the end") { later.lines.contains("2 completed -999") }
            let id = await again.transfer(1, app.key())
            await again.until("the pause") {
                await again.engine.explanation(of: id)?.holds.contains { $0.reason.code == "suspended" } == true
            }
        }
    }

    @Test("T6: a cancelled task's bytes are continued by another task, and are nobody else's meanwhile")
    func continues() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            let id = await rig.running(1, app.key())
            rig.executor.checkpoint(id, at: 500, of: 1000)
            try await rig.host.post(.cancelKeeping(1, token: "t"), in: app.key(), from: app.client.name)
            await rig.until("the end") { app.lines == ["1 completed -999"] }
            var next = TaskSnapshot.download(2)
            next.continues = "t"
            try await rig.host.post(.submit(next), in: app.key(), from: app.client.name)
            await rig.until("the continuation") { rig.executor.log.contains(.start(id, offset: 500)) }
            rig.executor.finish(id)
            await rig.until("the end") { app.lines.last == "2 completed " }
            #expect(rig.disks.transfers.transfers.count == 1)
        }
    }

    @Test("tasks come in another order than they were made in; each only once, whatever the restart")
    func otherOrder() async throws {
        let disks = HostDisks()
        let app = PlayedApp()
        for run in 1...2 {
            let rig = HostRig(disks)
            try await rig.run {
                _ = try await rig.host.open(.named(), by: app.client)
                for number in run == 1 ? [3] : [1, 3, 1] {
                    try await rig.host.post(.submit(.download(number)), in: app.key(), from: app.client.name)
                }
                _ = await rig.running(run == 1 ? 3 : 1, app.key())
            }
        }
        #expect(disks.transfers.transfers.count == 2)
        let rig = HostRig(disks)
        let later = PlayedApp(process: 101)
        try await rig.run {
            // The second task was never started, and this process does not know it.
            #expect(try await rig.host.open(.named(), by: later.client).nextTask == 4)
            try await rig.host.post(.submit(.download(2)), in: app.key(), from: later.client.name)
            #expect(await rig.host.read { $0.tasks(of: app.key()) }.map(\.identifier) == [1, 3])
        }
    }

    @Test("T5: numbers go on where a session was closed and is opened again; one unused for over a year is forgotten")
    func numbersGoOn() async throws {
        let disks = HostDisks()
        let app = PlayedApp()
        let rig = HostRig(disks)
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            rig.executor.finish(await rig.running(1, app.key()))
            await rig.until("the end") { app.lines.last == "1 completed " }
            for number in app.numbers { try await rig.host.acknowledge(number, in: app.key(), from: app.client.name) }
            await rig.host.close(app.key(), by: app.client.name)
            #expect(try await rig.host.open(.named(), by: app.client).nextTask == 2)
            await rig.host.close(app.key(), by: app.client.name)
        }
        for (days, next) in [(399, 2), (401, 1)] as [(Int64, Int)] {
            let later = HostRig(
                disks,
                now: Moment(
                    instant: HostRig.start.instant, wall: HostRig.start.wall.advanced(by: .seconds(days * 86_400))))
            try await later.run {
                let known = await later.host.read { $0.summaries() }.count
                #expect(known == next - 1)
            }
        }
    }
}
