// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Synchronization
import Testing
import TransferBusClient
import TransferEngine
import TransferModel

@testable import transferctl

@Suite("Following transfers to their ends")
struct TransferFollowerTests {
    @Test("Counts each transfer once, and leaves updates after the last end in the stream")
    func counts() async {
        let ended = Mutex<[Int64]>([])
        var follower = TransferFollower(count: 2) { status in ended.withLock { $0.append(status.id.rawValue) } }
        let (updates, feed) = AsyncStream.makeStream(of: ServiceUpdate.self)
        for (id, state) in [(1, .running), (1, .finished), (1, .finished), (2, .cancelled), (3, .failed)] as [Change] {
            feed.yield(Self.update(id, state))
        }
        feed.finish()
        var shown = 0
        await follower.follow(updates) { _ in shown += 1 }
        #expect(follower.isComplete && follower.anyFailed && shown == 4)
        #expect(ended.withLock { $0 } == [1, 2])
        var rest: [ServiceUpdate] = []
        for await update in updates { rest.append(update) }
        #expect(rest == [Self.update(3, .failed)])
    }

    @Test("Leaves transfers unfinished if the service ends first")
    func early() async {
        var follower = TransferFollower(count: 2) { _ in }
        let (updates, feed) = AsyncStream.makeStream(of: ServiceUpdate.self)
        feed.yield(Self.update(1, .finished))
        feed.finish()
        await follower.follow(updates)
        #expect(!follower.isComplete && !follower.anyFailed)
    }

    @Test("Waits for the ends of the given transfers only, including earlier ends")
    func awaited() async throws {
        let done = Service(
            states: [1: .finished, 2: .waiting], changes: [(3, .failed), (2, .running), (2, .finished)])
        try await TransferFollower.waitForAll(of: Self.both, by: done)
        let endedBefore = Service(states: [1: .finished], changes: [])
        try await TransferFollower.waitForAll(of: Self.first, by: endedBefore)
        let failing = Service(states: [1: .finished, 2: .waiting], changes: [(2, .failed)])
        await #expect(throws: ExitStatus.failed.code) {
            try await TransferFollower.waitForAll(of: Self.both, by: failing)
        }
        let disconnecting = Service(states: [1: .waiting], changes: [(1, .running)])
        await #expect(throws: BusClientError.self) {
            try await TransferFollower.waitForAll(of: Self.first, by: disconnecting)
        }
    }

    private static let first: Set = [TransferID(1)]
    private static let both: Set = [TransferID(1), TransferID(2)]

    private typealias Change = (id: Int64, state: TransferStatus.State)

    private static func status(_ id: Int64, _ state: TransferStatus.State) -> TransferStatus {
        TransferStatus(
            id: TransferID(id), url: "http://h/f", name: "f", app: "person", isUpload: false, kind: .normal,
            priority: 500, state: state, submitted: WallTime(nanosecondsSinceEpoch: 0))
    }

    private static func update(_ id: Int64, _ state: TransferStatus.State) -> ServiceUpdate {
        .changed(status(id, state), nil)
    }

    /// A fake service that sends the given changes and then ends.
    private struct Service: WatchedTransferManager {
        var states: [Int64: TransferStatus.State]
        var changes: [Change]

        func updates() async throws -> AsyncStream<ServiceUpdate> {
            let (updates, feed) = AsyncStream.makeStream(of: ServiceUpdate.self)
            for (id, state) in changes { feed.yield(TransferFollowerTests.update(id, state)) }
            feed.finish()
            return updates
        }

        func show(_ id: TransferID) async throws -> TransferDetails {
            TransferDetails(TransferFollowerTests.status(id.rawValue, try #require(states[id.rawValue])))
        }

        func submit(_ requests: [TransferRequest]) async throws -> [TransferID] { [] }
        func list(_ filter: TransferFilter) async throws -> [TransferStatus] { [] }
        func explain(_ id: TransferID) async throws -> WaitExplanation { WaitExplanation(sentence: "") }
        func control(_ ids: [TransferID], _ action: ControlAction) async throws {}
        func change(_ id: TransferID, _ change: ChangeRequest) async throws {}
    }
}
