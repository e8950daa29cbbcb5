// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferSessions
import TransferTesting

@Suite("The session host")
struct SessionHostTests {
    @Test("E3, E4: a task's events arrive in order and numbered, and not again after they are acknowledged")
    func delivers() async throws {
        let disks = HostDisks()
        let fixture = HostFixture(disks)
        let app = FakeApp()
        try await fixture.run {
            let state = try await fixture.host.open(.named(), by: app.client)
            #expect(state.nextTask == 1)
            try await fixture.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            fixture.executor.finish(await fixture.running(1, app.key()), status: 404)
            await fixture.until("the end") { app.lines.last == "1 completed " }
            #expect(app.lines.first == "1 responded 404")
            #expect(app.numbers == app.numbers.sorted())
            for number in app.numbers.dropLast() {
                try await fixture.host.acknowledge(number, in: app.key(), from: app.client.name)
            }
        }
        // The last event was not acknowledged. After a restart, only that event is delivered again.
        let again = HostFixture(disks)
        let later = FakeApp(process: 101)
        try await again.run {
            let state = try await again.host.open(.named(), by: later.client)
            #expect(state.tasks.map(\.isEnded) == [true])
            #expect(later.lines == ["1 completed ", "finished"])
            try await again.host.acknowledge(later.numbers[0], in: app.key(), from: later.client.name)
            let last = FakeApp(process: 102)
            await again.host.disconnected(later.client.name)
            #expect(try await again.host.open(.named(), by: last.client).tasks.isEmpty)
            #expect(last.lines.isEmpty)
        }
    }

    @Test("E2: the file exists until its event is acknowledged, and is removed then")
    func file() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            try await fixture.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            fixture.executor.finish(await fixture.running(1, app.key()))
            await fixture.until("the end") { app.lines.last == "1 completed " }
            let file = try #require(app.lines.first { $0.hasPrefix("1 file ") }?.dropFirst(7))
            #expect(fixture.resolver.removed.isEmpty)
            for number in app.numbers.dropLast() {
                try await fixture.host.acknowledge(number, in: app.key(), from: app.client.name)
            }
            #expect(fixture.resolver.removed == [String(file)])
        }
    }

    @Test("S4: one process at a time has a session; another gets its process ID, and the session afterwards")
    func oneProcess() async throws {
        let fixture = HostFixture()
        let (first, second) = (FakeApp(process: 100), FakeApp(process: 200))
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: first.client)
            let refusal = await #expect(throws: SessionRefusal.self) {
                _ = try await fixture.host.open(.named(), by: second.client)
            }
            #expect(refusal?.code == .inUse)
            #expect(refusal?.owner == 100)
            #expect(refusal?.message.contains("100") == true)
            await fixture.host.disconnected(first.client.name)
            _ = try await fixture.host.open(.named(), by: second.client)
            await #expect(throws: SessionRefusal.self) {
                try await fixture.host.post(.submit(.download(1)), in: first.key(), from: first.client.name)
            }
            await #expect(throws: SessionRefusal.self) {
                try await fixture.host.acknowledge(0, in: first.key(), from: first.client.name)
            }
        }
    }

    @Test("S1: sessions of two apps with the same identifier are isolated")
    func twoApps() async throws {
        let fixture = HostFixture()
        let (one, other) = (FakeApp("one", process: 1), FakeApp("other", process: 2))
        try await fixture.run {
            for app in [one, other] { _ = try await fixture.host.open(.named(), by: app.client) }
            try await fixture.host.post(.submit(.download(1)), in: one.key(), from: one.client.name)
            fixture.executor.finish(await fixture.running(1, one.key()))
            await fixture.until("the end") { one.lines.last == "1 completed " }
            #expect(other.lines.isEmpty)
            #expect(await fixture.host.read { $0.tasks(of: other.key()) }.isEmpty)
            await #expect(throws: SessionRefusal.self) {
                try await fixture.host.post(.cancel(1), in: one.key(), from: other.client.name)
            }
        }
    }

    @Test("L5: a saved task that was not submitted before the end is submitted at the next start, once")
    func submittedLate() async throws {
        let disks = HostDisks()
        let app = FakeApp()
        // The previous run ended between saving the task and submitting its transfer.
        var record = SessionRecord(settings: .named())
        record.nextTask = 2
        let store = InMemorySessionStore(disk: disks.sessions, transfers: InMemoryTransferStore(disk: disks.transfers))
        try await store.commit([
            .session(app.key(), record), .task(app.key(), TaskRecord(snapshot: .download(1))),
        ])
        for _ in 1...2 {
            let fixture = HostFixture(disks)
            try await fixture.run {
                _ = try await fixture.host.open(.named(), by: app.client)
                _ = await fixture.running(1, app.key())
                // An app that has not received the confirmation submits the task again.
                try await fixture.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
                await fixture.host.disconnected(app.client.name)
            }
        }
        #expect(disks.transfers.transfers.count == 1)
    }

    @Test("L5: an end that only the engine has saved is reported after the restart")
    func endedUnseen() async throws {
        let disks = HostDisks()
        let app = FakeApp()
        let fixture = HostFixture(disks)
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            try await fixture.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            _ = await fixture.running(1, app.key())
            await fixture.host.disconnected(app.client.name)
        }
        let id = try #require(disks.transfers.transfers.first?.id)
        let failure = TransferFailure(cause: .expired, message: "too late")
        try await InMemoryTransferStore(disk: disks.transfers).commit([.ended(id, .failed(failure))])
        let again = HostFixture(disks)
        let later = FakeApp(process: 101)
        try await again.run {
            _ = try await again.host.open(.named(), by: later.client)
            await again.until("the end") { later.lines.first == "1 completed -1001" }
        }
    }

    @Test("header fields, which may be secrets, are removed from the disk when a task ends")
    func secrets() async throws {
        let disks = HostDisks()
        let fixture = HostFixture(disks)
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            var snapshot = TaskSnapshot.download(1)
            snapshot.request.headers = ["Authorization": "Bearer hush"]
            try await fixture.host.post(.submit(snapshot), in: app.key(), from: app.client.name)
            fixture.executor.finish(await fixture.running(1, app.key()))
            await fixture.until("the end") { app.lines.last == "1 completed " }
        }
        let store = InMemorySessionStore(disk: disks.sessions, transfers: InMemoryTransferStore(disk: disks.transfers))
        #expect(try await store.sessions().first?.tasks[1]?.snapshot.request.headers == [:])
    }

    @Test("an unusable task ends with an error that says why")
    func unusable() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            try await fixture.host.post(.submit(.download(1, url: "ftp://h/")), in: app.key(), from: app.client.name)
            await fixture.until("the end") { app.lines == ["1 completed -1002"] }
        }
    }

    @Test("a request that cannot be saved is refused, and nothing unsaved is reported")
    func fullDisk() async throws {
        let fixture = HostFixture()
        let app = FakeApp()
        try await fixture.run {
            _ = try await fixture.host.open(.named(), by: app.client)
            fixture.disks.sessions.failNext(1)
            let refusal = await #expect(throws: SessionRefusal.self) {
                try await fixture.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            }
            #expect(refusal?.message == "the disk is full")
            try await fixture.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            let id = await fixture.running(1, app.key())
            fixture.disks.sessions.failNext(2)
            fixture.executor.finish(id)
            await fixture.until("the first wait") { fixture.sleeper.durations == [.seconds(1)] }
            #expect(app.lines.isEmpty)
            fixture.sleeper.wake(.seconds(1))
            await fixture.until("the second wait") { fixture.sleeper.durations == [.seconds(2)] }
            #expect(app.lines.isEmpty)
            fixture.sleeper.wake(.seconds(2))
            await fixture.until("the end") { app.lines.last == "1 completed " }
        }
    }
}
