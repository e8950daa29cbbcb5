// SPDX-License-Identifier: Apache-2.0
import Foundation
import SQLiteStore
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferSessions
import TransferTesting

@Suite("SQLiteStore: sessions", .timeLimit(.minutes(5)))
struct SessionRowsTests {
    private let key = SessionKey(app: "org.example.App", identifier: "episodes")

    private var record: SessionRecord {
        var settings = SessionSettings(identifier: "episodes")
        settings.isDiscretionary = true
        settings.additionalHeaders = ["A": "b"]
        settings.sharedContainerIdentifier = "group"
        var record = SessionRecord(settings: settings)
        record.nextTask = 9
        record.missing.append(2..<3)
        record.missing.append(4..<5)
        record.ended = 3
        record.registration = .command(["/bin/app", "--background"])
        record.kept = ["token": KeptBytes(transfer: TransferID(7), since: WallTime(secondsSinceEpoch: 5))]
        return record
    }

    private func task(_ number: Int, url: String = "http://example.org/") -> TaskRecord {
        var snapshot = TaskSnapshot(
            identifier: number, kind: .upload(path: "/file"), request: RequestDescription(url: url, headers: ["X": "y"])
        )
        snapshot.note = "mine"
        snapshot.earliestBegin = WallTime(secondsSinceEpoch: 99)
        snapshot.name = TaskName(id: "episode/7", fingerprint: "0a")
        var conditions = TaskConditions()
        conditions.isDiscretionary = false
        conditions.constraints.deadline = WallTime(secondsSinceEpoch: 100)
        snapshot.conditions = conditions
        var task = TaskRecord(snapshot: snapshot)
        task.transfer = TransferID(12)
        task.end = TaskEnd(
            order: 2, response: ResponseDescription(url: "http://h/", status: 404, headers: ["B": "c"]), file: "/f",
            body: [1, 2, 255], failure: FailureDescription(code: -999, message: "no"))
        task.acknowledged = 1
        return task
    }

    @Test("Sessions and tasks are equal after a restart, with the last change of each row")
    func comesBack() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try await store.commit([
            .session(key, SessionRecord(settings: SessionSettings(identifier: "episodes"))),
            .task(key, TaskRecord(snapshot: task(1).snapshot)), .task(key, task(2)),
        ])
        try await store.commit([.session(key, record), .task(key, task(1))])
        await store.close()
        let expected = StoredSession(key: key, record: record, tasks: [1: task(1), 2: task(2)])
        #expect(try await fixture.open().sessions() == [expected])
    }

    @Test("Two apps may use one session name; removing a session removes its tasks, a task alone only itself")
    func removed() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let other = SessionKey(app: "org.example.Other", identifier: "episodes")
        for key in [key, other] {
            try await store.commit([.session(key, record), .task(key, task(1)), .task(key, task(2))])
        }
        try await store.commit([.taskRemoved(other, 1), .removed(key)])
        let left = try await store.sessions()
        #expect(left.map(\.key) == [other])
        #expect(left.first?.tasks.keys.sorted() == [2])
    }

    @Test("A commit with an invalid change saves nothing: a task belongs to a session")
    func allOrNothing() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let nobody = SessionKey(app: "nobody", identifier: "s")
        await #expect(throws: (any Error).self) {
            try await store.commit([.session(key, record), .task(nobody, task(1))])
        }
        #expect(try await store.sessions() == [])
    }

    @Test("A transfer is found by its task's key")
    func findsTransfer() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let name = key.transferKey(of: 3)
        let specification = StoredTransferSamples.plain(1).specification
        let ids = try await store.commit([.submitted(NewTransfer(specification, key: name))])
        let sessions: any SessionStore = store
        #expect(
            try await sessions.transfers(forKeys: [name, key.transferKey(of: 4)]).mapValues(\.id) == [name: ids[0]])
        #expect(try await sessions.transfers(forKeys: []).isEmpty)
    }

    @Test("Possible secrets leave the files after a task's events were delivered")
    func secrets() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try await store.commit([.session(key, record), .task(key, task(1, url: "http://example.org/?token=HUSHHUSH"))])
        try await store.commit([.taskRemoved(key, 1)])
        await store.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path + "/state") {
            let data = try Data(contentsOf: URL(fileURLWithPath: fixture.folder.path + "/state/" + name))
            #expect(data.range(of: Data("HUSHHUSH".utf8)) == nil, "\(name)")
        }
    }
}
