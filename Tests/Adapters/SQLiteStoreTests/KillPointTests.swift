// SPDX-License-Identifier: Apache-2.0
import SQLiteStore
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

/// Two successive lifetimes of a process with the same queue and the same files.
@Suite("The engine crashes between any two steps of saving and acting", .timeLimit(.minutes(10)))
struct KillPointTests {
    /// The results that the engine reported in its first lifetime.
    private struct ReportedResults {
        var acknowledged: Set<TransferID> = []
        var isPauseAcknowledged = false
        var isResumeRequested = false
        var isCancelRequested = false
    }

    private static let now = ClockReading(
        instant: Instant(nanoseconds: 1_000_000_000_000), wall: WallTime(secondsSinceEpoch: 1_795_392_000))

    private static func engine(_ fixture: StoreFixture, _ files: SimulatedFiles, _ fuse: Fuse) throws -> TransferEngine
    {
        var conditions = Conditions(unknownSince: now)
        conditions.power = Fact(.ac, source: .upower, since: now)
        conditions.network = Fact(.full, source: .kernel, since: now)
        conditions.linkKind = Fact(.ethernet, source: .kernel, since: now)
        conditions.metered = Fact(.no, source: .networkManager, since: now)
        return TransferEngine(
            store: MortalStore(try fixture.open(), fuse), executor: MortalExecutor(files, fuse),
            conditions: ManualConditionSource(conditions), alarm: ManualAlarm(startingAt: now), seed: 1)
    }

    private static func specification(_ name: String) -> TransferSpecification {
        TransferSpecification(
            url: "http://h/\(name)", destination: Destination(directory: "/files", name: name),
            traits: TransferTraits(kind: .userInitiated, host: "h-\(name)", submitted: now.wall))
    }

    /// Runs an engine while `body` uses it. Ignores the errors that the death of the process throws.
    private static func live(
        _ engine: TransferEngine, _ body: @Sendable @escaping (TransferEngine) async throws -> Void
    ) async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await engine.run() }
            group.addTask { for await _ in engine.updates {} }
            group.addTask {
                try? await body(engine)
                engine.shutDown()
            }
        }
    }

    /// Runs the first lifetime: submits three transfers, pauses and resumes the second, and cancels the third.
    private static func firstLife(_ fixture: StoreFixture, _ files: SimulatedFiles, _ fuse: Fuse) async throws
        -> ReportedResults
    {
        let reported = Mutex(ReportedResults())
        let engine = try engine(fixture, files, fuse)
        try await live(engine) { engine in
            func until(_ condition: () async -> Bool) async throws {
                while await !condition() {
                    guard !fuse.isBurnt else { throw Death() }
                    await Task.yield()
                }
            }
            let first = try await engine.submit(specification("a"))
            reported.withLock { _ = $0.acknowledged.insert(first) }
            let others = try await engine.submit([NewTransfer(specification("b")), NewTransfer(specification("c"))])
            reported.withLock { $0.acknowledged.formUnion(others) }
            try await engine.pause(others[0])
            // Returns after all earlier requests.
            try await engine.change(others[0], TransferChange(priority: 600))
            reported.withLock { $0.isPauseAcknowledged = !fuse.isBurnt }
            try await until { files.placings(of: first) == 1 }
            reported.withLock { $0.isResumeRequested = true }
            try await engine.resume(others[0])
            reported.withLock { $0.isCancelRequested = true }
            try await engine.cancel(others[1])
            try await until { files.placings(of: others[0]) == 1 }
        }
        return reported.withLock { $0 }
    }

    /// Runs the second lifetime: resumes the paused transfers, and waits until all transfers have ended.
    private static func secondLife(_ fixture: StoreFixture, _ files: SimulatedFiles) async throws {
        let engine = try engine(fixture, files, Fuse())
        let store = try fixture.open()
        try await live(engine) { engine in
            for transfer in try await store.unfinished() where transfer.isSuspended {
                try await engine.resume(transfer.id)
            }
            while try await !store.unfinished().isEmpty { await Task.yield() }
        }
        await store.close()
    }

    /// Runs the first lifetime up to a number of steps, and then the second lifetime.
    ///
    /// - Returns: `true` if the engine died before all steps were done.
    private func diesAfter(_ steps: Int) async throws -> Bool {
        let fixture = try StoreFixture()
        let files = SimulatedFiles()
        let fuse = Fuse(steps: steps)
        let reported = try await Self.firstLife(fixture, files, fuse)
        let death: Comment = "died \(fuse.last), step \(steps)"

        let store = try fixture.open()
        let unfinished = try await store.unfinished()
        let before = try await store.ended(limit: 10)
        await store.close()
        let there = Set((unfinished + before).map(\.id))
        #expect(reported.acknowledged.isSubset(of: there), death)
        #expect(there.count == 0 || there.count == 1 || there.count == 3, death)
        if reported.isPauseAcknowledged, !reported.isResumeRequested {
            let second = unfinished.first { $0.specification.url.hasSuffix("/b") }
            #expect(second?.isSuspended ?? true, death)
        }

        try await Self.secondLife(fixture, files)
        let after = try await fixture.open().ended(limit: 10)
        #expect(Set(after.map(\.id)) == there, death)
        for transfer in after {
            // A transfer that ended before its end was reported keeps its result.
            if let old = before.first(where: { $0.id == transfer.id }) { #expect(old == transfer, death) }
            switch transfer.ending {
            case .completed(let completion, _)?:
                #expect(completion.status == 200, death)
                #expect(files.placings(of: transfer.id) == 1, death)
            case .cancelled?:
                #expect(reported.isCancelRequested && transfer.specification.url.hasSuffix("/c"), death)
                #expect(files.placings(of: transfer.id) <= 1, death)
            case .failed?, nil: Issue.record("\(transfer) failed, \(death)")
            }
        }
        #expect(files.faults.isEmpty, death)
        return fuse.isBurnt
    }

    @Test("After a crash at any step, acknowledged transfers continue from disk and finish exactly once")
    func sweep() async throws {
        var steps = 0
        while try await diesAfter(steps) { steps += 1 }
        // Numbers, commits, starts, writes, renames, and removals: each is a possible point of death.
        #expect(steps > 30)
    }
}
