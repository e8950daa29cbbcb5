// SPDX-License-Identifier: Apache-2.0
import Logging
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferScheduling
import TransferTesting

@testable import TransferSessions

@Suite struct SessionRowsTests {
    private let disks = HostDisks()
    private let key = SessionKey(app: "a", identifier: "s")
    private var change: SessionChange { .session(key, SessionRecord(settings: .named())) }

    private func rows(_ sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in }) -> SessionRows {
        let transfers = InMemoryTransferStore(disk: disks.transfers)
        return SessionRows(
            store: InMemorySessionStore(disk: disks.sessions, transfers: transfers), sleep: sleep,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("an event is saved until the store succeeds, with pauses of up to a minute")
    func retries() async throws {
        let pauses = Mutex<[Duration]>([])
        disks.sessions.failNext(8)
        await rows { pause in pauses.withLock { $0.append(pause) } }.save([change])
        #expect(disks.sessions.commits == [[change]])
        #expect(pauses.withLock { $0 } == [1, 2, 4, 8, 16, 32, 60, 60].map(Duration.seconds))
    }

    @Test("saving ends when its task is canceled")
    func cancelled() async throws {
        disks.sessions.failNext(2)
        await rows { _ in throw CancellationError() }.save([change])
        #expect(disks.sessions.commits.isEmpty)
    }

    @Test("a process's request is refused immediately if it cannot be saved")
    func refused() async throws {
        disks.sessions.failNext(1)
        let refusal = await #expect(throws: SessionRefusal.self) { try await rows().commit([change]) }
        #expect(refusal?.code == .unavailable)
        try await rows().commit([])
        #expect(disks.sessions.commits.isEmpty)
        try await rows().commit([change])
        #expect(disks.sessions.commits == [[change]])
    }

    @Test("an unfinished task's transfer is found by its ID, or else by the key of the newest request")
    func transfers() async throws {
        let names =
            [key.transferKey(of: 1, again: 0), key.transferKey(of: 2, again: 0)]
            + [key.transferKey(of: 2, again: 1), key.transferKey(of: 3, again: 0), "other"]
        let store = InMemoryTransferStore(disk: disks.transfers)
        let specification = TransferSpecification(
            url: "http://h/", destination: Destination(directory: "/tmp", name: "f"),
            traits: TransferTraits(kind: .normal, host: "h", submitted: HostFixture.start.wall))
        let ids = try await store.commit(names.map { .submitted(NewTransfer(specification, key: $0)) })
        var stored = StoredSession(key: key, record: SessionRecord(settings: .named()))
        for number in 1...4 { stored.tasks[number] = TaskRecord(snapshot: .download(number)) }
        // A task that took up the transfer of another task, one with another request, and one that has ended.
        stored.tasks[1]?.transfer = ids[4]
        stored.tasks[2]?.generation = 1
        stored.tasks[3]?.end = TaskEnd()
        let found = try await rows().transfers(of: stored)
        #expect(found.mapValues(\.id) == [1: ids[4], 2: ids[2]])
    }
}
