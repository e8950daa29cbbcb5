// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

/// An engine over fakes, with a journal of the calls to its ports.
final class EngineFixture: Sendable {
    static let start = ClockReading(
        instant: Instant(nanoseconds: 1_000_000_000_000), wall: WallTime(secondsSinceEpoch: 1_795_392_000))

    let alarm: ManualAlarm
    let source: ManualConditionSource
    let executor: FakeExecutor
    let journal: Journal
    let disk: InMemoryTransferStore.Disk
    let engine: TransferEngine

    init(
        disk: InMemoryTransferStore.Disk = .init(), conditions: Conditions? = EngineFixture.goodConditions(),
        configuration: SchedulerConfiguration = SchedulerConfiguration(), now: ClockReading = EngineFixture.start,
        boot: String = "boot", savesStatistics: Bool = true, registry: TransferRegistry? = nil,
        recoveryGate: AsyncStream<Void>? = nil
    ) {
        alarm = ManualAlarm(startingAt: now, boot: boot)
        let journal = Journal()
        self.journal = journal
        self.disk = disk
        source = ManualConditionSource(conditions) { journal.append("ready to sleep") }
        executor = FakeExecutor { journal.append("executor \($0)") }
        engine = TransferEngine(
            store: JournalingStore(InMemoryTransferStore(disk: disk), journal, recoveryGate), executor: executor,
            conditions: source,
            alarm: alarm, configuration: configuration, savesStatistics: savesStatistics,
            registry: registry, seed: 1)
    }

    /// Conditions on unmetered Ethernet, and on AC by default.
    static func goodConditions(power: PowerSource = .ac) -> Conditions {
        var conditions = Conditions(unknownSince: start)
        conditions.power = Fact(power, source: .upower, since: start)
        conditions.network = Fact(.full, source: .kernel, since: start)
        conditions.linkKind = Fact(.ethernet, source: .kernel, since: start)
        conditions.metered = Fact(.no, source: .networkManager, since: start)
        return conditions
    }

    /// The good conditions on a metered network.
    static func meteredConditions() -> Conditions {
        var conditions = goodConditions()
        conditions.metered.value = .yes
        return conditions
    }

    static func specification(_ kind: WorkKind = .userInitiated, host: String = "h") -> TransferSpecification {
        TransferSpecification(
            url: "http://127.0.0.1/file", destination: Destination(directory: "/tmp", name: nil),
            traits: TransferTraits(kind: kind, host: host, submitted: start.wall))
    }

    /// Runs the engine during `body`. The engine shuts down when `body` returns.
    func run(_ body: @Sendable @escaping (inout Updates) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [engine] in try await engine.run() }
            var updates = Updates(engine.updates)
            try await body(&updates)
            engine.shutDown()
            try await group.waitForAll()
        }
    }

    /// Waits until `condition` holds, and lets other tasks run in the meantime.
    func until(_ what: String = "a condition", _ condition: @Sendable () async -> Bool) async {
        for _ in 0..<100_000 {
            if await condition() { return }
            await Task.yield()
        }
        Issue.record("timed out waiting for \(what); journal: \(journal.lines)")
    }

    /// Returns after the engine has handled all earlier messages.
    func waitForInbox() async throws {
        // Submit a transfer that is stored and never runs. The inbox is ordered, so all earlier messages were handled
        // before.
        let specification = TransferSpecification(
            url: "http://127.0.0.1/marker", destination: Destination(directory: "/tmp", name: nil),
            traits: TransferTraits(
                kind: .normal,
                constraints: Constraints(
                    notBefore: NotBeforeConstraint(WallTime(nanosecondsSinceEpoch: .max))),
                host: "marker", submitted: Self.start.wall))
        let marker = try await engine.submit(specification)
        try await engine.cancel(marker)
    }
}

/// The calls to several ports, in order.
final class Journal: Sendable {
    private let state = Mutex<[String]>([])
    func append(_ line: String) { state.withLock { $0.append(line) } }
    var lines: [String] { state.withLock { $0 } }

    /// Returns whether lines with these beginnings occur in this order, possibly with other lines in between.
    func contains(_ beginnings: [String]) -> Bool {
        var rest = lines[...]
        for beginning in beginnings {
            guard let index = rest.firstIndex(where: { $0.hasPrefix(beginning) }) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }
}

/// A store that records each save.
final class JournalingStore: TransferStore {
    private let base: InMemoryTransferStore
    private let journal: Journal
    private let recoveryGate: AsyncStream<Void>?

    /// Creates a store that starts to read its queue when `recoveryGate`, if any, ends.
    init(_ base: InMemoryTransferStore, _ journal: Journal, _ recoveryGate: AsyncStream<Void>? = nil) {
        self.base = base
        self.journal = journal
        self.recoveryGate = recoveryGate
    }

    func commit(_ changes: [StoreChange]) async throws -> [TransferID] {
        // Let other tasks run. An engine that acts before it has saved is then detected.
        await Task.yield()
        for change in changes { journal.append("saving \("\(change)".prefix { $0 != "(" })") }
        let given = try await base.commit(changes)
        for change in changes { journal.append("saved \("\(change)".prefix { $0 != "(" })") }
        return given
    }
    func recover(_ receive: @escaping @Sendable (RecoveredTransfers) async -> Void) async throws {
        if let recoveryGate {
            journal.append("recovering")
            for await _ in recoveryGate {}
        }
        try await base.recover(receive)
    }
    func transfers(_ ids: [TransferID]) async throws -> [StoredTransfer] {
        if recoveryGate != nil { journal.append("reading \(ids)") }
        return try await base.transfers(ids)
    }
    func statistics() async throws -> PersistedStatistics? { try await base.statistics() }
    func close() async {
        journal.append("store closed")
        await base.close()
    }
}

/// The engine's updates as short lines, one at a time.
struct Updates {
    private var iterator: AsyncStream<EngineUpdate>.Iterator

    init(_ stream: AsyncStream<EngineUpdate>) { iterator = stream.makeAsyncIterator() }

    /// Returns the next update about a transfer, such as `1 started 1`, or the store's error. Returns `nil` after the
    /// end.
    ///
    /// - Parameter isWhole: Whether to include commands and submissions.
    mutating func next(isWhole: Bool = false) async -> String? {
        while let update = await iterator.next() {
            switch update {
            case .conditions: continue
            case .storeError(let error): return "store error \(error.code)"
            case .transfer(let update):
                switch update.kind {
                case .submitted, .changed, .paused, .resumed: if !isWhole { continue }
                default: break
                }
                return "\(update.id) \(Self.text(update.kind))"
            }
        }
        return nil
    }

    mutating func next(_ count: Int) async -> [String] {
        var all: [String] = []
        for _ in 0..<count { if let text = await next() { all.append(text) } }
        return all
    }

    private static func text(_ kind: TransferUpdate.Kind) -> String {
        func codes(_ explanation: Explanation) -> String {
            explanation.reasons.map(\.reason.code).joined(separator: ",")
        }
        switch kind {
        case .submitted: return "submitted"
        case .changed: return "changed"
        case .paused: return "paused"
        case .resumed: return "resumed"
        case .waiting(let explanation): return "waiting \(codes(explanation))"
        case .deadline(let state, _): return "deadline \(state)"
        case .started(let attempt): return "started \(attempt)"
        case .progressed(let bytes, _, _): return "progressed \(bytes)"
        case .restarted(let cause): return "restarted \(cause.rawValue)"
        case .stopped(let explanation, let bytes): return "stopped \(codes(explanation)) \(bytes)"
        case .retrying(let explanation, let failure, let bytes):
            return "retrying \(codes(explanation)) \(failure.cause.code) \(bytes)"
        case .finished(let completion): return "finished \(completion.status)"
        case .failed(let failure): return "failed \(failure.cause.code)"
        case .cancelled: return "cancelled"
        }
    }
}
