// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferSessions
import TransferTesting

@Suite("Sessions over an engine")
struct SessionHostTests {
    @Test("E3, E4: a task's events come in order, numbered, and not again once they are dealt with")
    func delivers() async throws {
        let disks = HostDisks()
        let rig = HostRig(disks)
        let app = PlayedApp()
        try await rig.run {
            let state = try await rig.host.open(.named(), by: app.client)
            #expect(state.nextTask == 1)
            try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            rig.executor.finish(await rig.running(1, app.key()), status: 404)
            await rig.until("the end") { app.lines.last == "1 completed " }
            #expect(app.lines.first == "1 responded 404")
            #expect(app.numbers == app.numbers.sorted())
            for number in app.numbers.dropLast() {
                try await rig.host.acknowledge(number, in: app.key(), from: app.client.name)
            }
        }
        // The last event was not acknowledged. After a restart, only that event is delivered again.
        let again = HostRig(disks)
        let later = PlayedApp(process: 101)
        try await again.run {
            let state = try await again.host.open(.named(), by: later.client)
            #expect(state.tasks.map(\.isOver) == [true])
            #expect(later.lines == ["1 completed ", "finished"])
            try await again.host.acknowledge(later.numbers[0], in: app.key(), from: later.client.name)
            let last = PlayedApp(process: 102)
            await again.host.disconnected(later.client.name)
            #expect(try await again.host.open(.named(), by: last.client).tasks.isEmpty)
            #expect(last.lines.isEmpty)
        }
    }

    @Test("E2: the file is there until its event was dealt with, and is removed then")
    func file() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            rig.executor.finish(await rig.running(1, app.key()))
            await rig.until("the end") { app.lines.last == "1 completed " }
            let file = try #require(app.lines.first { $0.hasPrefix("1 file ") }?.dropFirst(7))
            #expect(rig.place.removed.isEmpty)
            for number in app.numbers.dropLast() {
                try await rig.host.acknowledge(number, in: app.key(), from: app.client.name)
            }
            #expect(rig.place.removed == [String(file)])
        }
    }

    @Test("S4: a session is one process's; another is told whose it is, and has it once that is gone")
    func oneProcess() async throws {
        let rig = HostRig()
        let (first, second) = (PlayedApp(process: 100), PlayedApp(process: 200))
        try await rig.run {
            _ = try await rig.host.open(.named(), by: first.client)
            let refusal = await #expect(throws: SessionRefusal.self) {
                _ = try await rig.host.open(.named(), by: second.client)
            }
            #expect(refusal?.code == .inUse)
            #expect(refusal?.owner == 100)
            #expect(refusal?.message.contains("100") == true)
            await rig.host.disconnected(first.client.name)
            _ = try await rig.host.open(.named(), by: second.client)
            await #expect(throws: SessionRefusal.self) {
                try await rig.host.post(.submit(.download(1)), in: first.key(), from: first.client.name)
            }
            await #expect(throws: SessionRefusal.self) {
                try await rig.host.acknowledge(0, in: first.key(), from: first.client.name)
            }
        }
    }

    @Test("S1: sessions of two apps with one identifier see nothing of each other")
    func twoApps() async throws {
        let rig = HostRig()
        let (one, other) = (PlayedApp("one", process: 1), PlayedApp("other", process: 2))
        try await rig.run {
            for app in [one, other] { _ = try await rig.host.open(.named(), by: app.client) }
            try await rig.host.post(.submit(.download(1)), in: one.key(), from: one.client.name)
            rig.executor.finish(await rig.running(1, one.key()))
            await rig.until("the end") { one.lines.last == "1 completed " }
            #expect(other.lines.isEmpty)
            #expect(await rig.host.read { $0.tasks(of: other.key()) }.isEmpty)
            await #expect(throws: SessionRefusal.self) {
                try await rig.host.post(.cancel(1), in: one.key(), from: other.client.name)
            }
        }
    }

    @Test("L5: a task that was saved and not handed over before the end is handed over at the next start, once")
    func handedOverLate() async throws {
        let disks = HostDisks()
        let app = PlayedApp()
        // The previous run ended between saving the task and submitting its transfer.
        var record = SessionRecord(settings: .named())
        record.nextTask = 2
        let store = InMemorySessionStore(disk: disks.sessions, transfers: InMemoryTransferStore(disk: disks.transfers))
        try await store.commit([
            .session(app.key(), record), .task(app.key(), TaskRecord(snapshot: .download(1))),
        ])
        for _ in 1...2 {
            let rig = HostRig(disks)
            try await rig.run {
                _ = try await rig.host.open(.named(), by: app.client)
                _ = await rig.running(1, app.key())
                // An app that has not received the confirmation submits the task again.
                try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
                await rig.host.disconnected(app.client.name)
            }
        }
        #expect(disks.transfers.transfers.count == 1)
    }

    @Test("L5: an end that was saved by the engine alone is told after the restart")
    func endedUnseen() async throws {
        let disks = HostDisks()
        let app = PlayedApp()
        let rig = HostRig(disks)
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            _ = await rig.running(1, app.key())
            await rig.host.disconnected(app.client.name)
        }
        let id = try #require(disks.transfers.transfers.first?.id)
        let failure = TransferFailure(cause: .expired, message: "too late")
        try await InMemoryTransferStore(disk: disks.transfers).commit([.ended(id, .failed(failure))])
        let again = HostRig(disks)
        let later = PlayedApp(process: 101)
        try await again.run {
            _ = try await again.host.open(.named(), by: later.client)
            await again.until("the end") { later.lines.first == "1 completed -1001" }
        }
    }

    @Test("header fields, which may be secrets, are gone from the disk when a task is over")
    func secrets() async throws {
        let disks = HostDisks()
        let rig = HostRig(disks)
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            var snapshot = TaskSnapshot.download(1)
            snapshot.request.headers = ["Authorization": "Bearer hush"]
            try await rig.host.post(.submit(snapshot), in: app.key(), from: app.client.name)
            rig.executor.finish(await rig.running(1, app.key()))
            await rig.until("the end") { app.lines.last == "1 completed " }
        }
        let store = InMemorySessionStore(disk: disks.sessions, transfers: InMemoryTransferStore(disk: disks.transfers))
        #expect(try await store.sessions().first?.tasks[1]?.snapshot.request.headers == [:])
    }

    @Test("a task that cannot be carried out ends with an error that says why")
    func unusable() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            try await rig.host.post(.submit(.download(1, url: "ftp://h/")), in: app.key(), from: app.client.name)
            await rig.until("the end") { app.lines == ["1 completed -1002"] }
        }
    }

    @Test("what could not be saved is refused, and nothing is told that was not saved")
    func fullDisk() async throws {
        let rig = HostRig()
        let app = PlayedApp()
        try await rig.run {
            _ = try await rig.host.open(.named(), by: app.client)
            rig.disks.sessions.failNext(1)
            let refusal = await #expect(throws: SessionRefusal.self) {
                try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            }
            #expect(refusal?.message == "the disk is full")
            try await rig.host.post(.submit(.download(1)), in: app.key(), from: app.client.name)
            let id = await rig.running(1, app.key())
            rig.disks.sessions.failNext(2)
            rig.executor.finish(id)
            await rig.until("the first wait") { rig.sleeper.durations == [.seconds(1)] }
            #expect(app.lines.isEmpty)
            rig.sleeper.wake(.seconds(1))
            await rig.until("the second wait") { rig.sleeper.durations == [.seconds(2)] }
            #expect(app.lines.isEmpty)
            rig.sleeper.wake(.seconds(2))
            await rig.until("the end") { app.lines.last == "1 completed " }
        }
    }
}
