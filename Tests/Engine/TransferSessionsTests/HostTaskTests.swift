// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferSessions
import TransferTesting

@Suite("Tasks of the session host: pauses, kept bytes, and numbers")
struct HostTaskTests {
    @Test(
        "L5, T6: saved pauses and cancellations that the engine did not receive are repeated at the next start")
    func stoppedLate() async throws {
        let disks = HostDisks()
        let app = FakeApp()
        let fixture = HostFixture(disks)
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            for number in 1...2 {
                try await fixture.host.post(.submit(.download(number)), in: app.key(), from: app.client.name)
                _ = await fixture.running(number, app.key())
            }
        }
        // The previous run ended between saving the tasks and changing their transfers.
        let store = InMemorySessionStore(disk: disks.sessions, transfers: InMemoryTransferStore(disk: disks.transfers))
        var (paused, cancelled) = (TaskRecord(snapshot: .download(1)), TaskRecord(snapshot: .download(2)))
        paused.snapshot.isSuspended = true
        cancelled.isCancelled = true
        try await store.commit([.task(app.key(), paused), .task(app.key(), cancelled)])
        let again = HostFixture(disks)
        let later = FakeApp(process: 101)
        try await again.run {
            _ = try await again.host.open(.named(), by: later.client)
            await again.until("the end") { later.lines.contains("2 completed -999") }
            let id = await again.transfer(1, app.key())
            await again.until("the pause") {
                await again.engine.explanation(of: id)?.reasons.contains { $0.reason.code == "suspended" } == true
            }
        }
    }

    @Test("T6: another task continues a canceled task's bytes, which no other task can use")
    func continues() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            try await fixture.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            let id = await fixture.running(1, app.key())
            fixture.executor.checkpoint(id, at: 500, of: 1000)
            try await fixture.host.post(.cancelKeeping(1, token: "t"), in: app.key(), from: app.client.name)
            await fixture.until("the end") { app.lines == ["1 completed -999"] }
            var next = TaskSnapshot.download(2)
            next.continues = "t"
            try await fixture.host.post(.submit(next), in: app.key(), from: app.client.name)
            await fixture.until("the continuation") { fixture.executor.log.contains(.start(id, offset: 500)) }
            fixture.executor.finish(id)
            await fixture.until("the end") { app.lines.last == "2 completed " }
            #expect(fixture.disks.transfers.transfers.count == 1)
        }
    }

    @Test("T5: numbers continue when a session is opened again; a session unused for over a year is removed")
    func numbersGoOn() async throws {
        let disks = HostDisks()
        let app = FakeApp()
        let fixture = HostFixture(disks)
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            try await fixture.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            fixture.executor.finish(await fixture.running(1, app.key()))
            await fixture.until("the end") { app.lines.last == "1 completed " }
            for number in app.numbers {
                try await fixture.host.acknowledge(number, in: app.key(), from: app.client.name)
            }
            await fixture.host.close(app.key(), by: app.client.name)
            #expect(try await fixture.host.open(.named(), by: app.client).nextTask == 2)
            await fixture.host.close(app.key(), by: app.client.name)
        }
        for (days, next) in [(399, 2), (401, 1)] as [(Int64, Int)] {
            let later = HostFixture(
                disks,
                now: ClockReading(
                    instant: HostFixture.start.instant,
                    wall: HostFixture.start.wall.advanced(by: .seconds(days * 86_400))))
            try await later.run {
                let known = await later.host.read { $0.summaries() }.count
                #expect(known == next - 1)
            }
        }
    }
}
