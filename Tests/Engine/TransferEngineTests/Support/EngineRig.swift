// SPDX-License-Identifier: Apache-2.0
import Metrics
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

/// An engine over fakes, and what it told so far.
final class EngineRig: Sendable {
    static let start = Moment(
        instant: Instant(nanoseconds: 1_000_000_000_000), wall: WallTime(secondsSinceEpoch: 1_795_392_000))

    let alarm: ManualAlarm
    let source: ManualConditionSource
    let executor: FakeExecutor
    let journal: Journal
    let disk: InMemoryTransferStore.Disk
    let engine: TransferEngine

    init(
        disk: InMemoryTransferStore.Disk = .init(), conditions: Conditions? = EngineRig.goodConditions(),
        configuration: SchedulerConfiguration = SchedulerConfiguration(), now: Moment = EngineRig.start,
        boot: String = "boot", savesLearned: Bool = true, registry: TransferRegistry? = nil,
        metrics: (any MetricsFactory)? = nil
    ) {
        alarm = ManualAlarm(startingAt: now, boot: boot)
        let journal = Journal()
        self.journal = journal
        self.disk = disk
        source = ManualConditionSource(conditions) { journal.note("ready to sleep") }
        executor = FakeExecutor { journal.note("executor \($0)") }
        engine = TransferEngine(
            store: JournalingStore(InMemoryTransferStore(disk: disk), journal), executor: executor, conditions: source,
            alarm: alarm, configuration: configuration, savesLearned: savesLearned,
            registry: registry, metrics: metrics, seed: 1)
    }

    /// On AC where nothing else is said, on unmetered ethernet.
    static func goodConditions(power: PowerSource = .ac) -> Conditions {
        var conditions = Conditions(unknownSince: start)
        conditions.power = Fact(power, source: .upower, since: start)
        conditions.network = Fact(.full, source: .kernel, since: start)
        conditions.linkKind = Fact(.ethernet, source: .kernel, since: start)
        conditions.metered = Fact(.no, source: .networkManager, since: start)
        return conditions
    }

    /// The same on a network that costs money.
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

    /// Runs the engine while `body` does something with it; `body` ends with the engine's end.
    func run(_ body: @Sendable @escaping (inout Updates) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [engine] in try await engine.run() }
            var updates = Updates(engine.updates)
            try await body(&updates)
            engine.shutDown()
            try await group.waitForAll()
        }
    }

    /// Waits until `condition` holds: until then others get their turn.
    func until(_ what: String = "a condition", _ condition: @Sendable () async -> Bool) async {
        for _ in 0..<100_000 {
            if await condition() { return }
            await Task.yield()
        }
        Issue.record("\(what) was waited for in vain; journal: \(journal.lines)")
    }

    /// Returns when everything that was sent to the engine before has been dealt with.
    func settle() async throws {
        // One that is stored and never runs: the inbox is in order, so all before it has been taken.
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

/// What happened in which order, over several ports.
final class Journal: Sendable {
    private let state = Mutex<[String]>([])
    func note(_ line: String) { state.withLock { $0.append(line) } }
    var lines: [String] { state.withLock { $0 } }

    /// Whether these lines begin so, in this order, whatever stands between them.
    func holds(_ beginnings: [String]) -> Bool {
        var rest = lines[...]
        for beginning in beginnings {
            guard let index = rest.firstIndex(where: { $0.hasPrefix(beginning) }) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }
}

/// A store that notes when something was saved.
final class JournalingStore: TransferStore {
    private let base: InMemoryTransferStore
    private let journal: Journal

    init(_ base: InMemoryTransferStore, _ journal: Journal) {
        self.base = base
        self.journal = journal
    }

    func commit(_ changes: [StoreChange]) async throws -> [TransferID] {
        // Others get their turn within: an engine that acts before it has saved is found out.
        await Task.yield()
        for change in changes { journal.note("saving \("\(change)".prefix { $0 != "(" })") }
        let given = try await base.commit(changes)
        for change in changes { journal.note("saved \("\(change)".prefix { $0 != "(" })") }
        return given
    }
    func recover(_ take: @escaping @Sendable (RecoveredTransfers) async -> Void) async throws {
        try await base.recover(take)
    }
    func transfers(_ ids: [TransferID]) async throws -> [StoredTransfer] { try await base.transfers(ids) }
    func learned() async throws -> Learned? { try await base.learned() }
    func close() async {
        journal.note("store closed")
        await base.close()
    }
}

/// The engine's updates, one after the other, in short.
struct Updates {
    private var iterator: AsyncStream<EngineUpdate>.Iterator

    init(_ stream: AsyncStream<EngineUpdate>) { iterator = stream.makeAsyncIterator() }

    /// The next update about a transfer, `1 started 1`, or the store's trouble; nil after the end.
    ///
    /// - Parameter isWhole: whether to tell of commands, too, and of submissions.
    mutating func next(isWhole: Bool = false) async -> String? {
        while let update = await iterator.next() {
            switch update {
            case .conditions: continue
            case .storeTrouble(let error): return "trouble \(error.code)"
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
        func codes(_ explanation: Explanation) -> String { explanation.holds.map(\.reason.code).joined(separator: ",") }
        switch kind {
        case .submitted: return "submitted"
        case .changed: return "changed"
        case .paused: return "paused"
        case .resumed: return "resumed"
        case .waiting(let explanation): return "waiting \(codes(explanation))"
        case .started(let attempt): return "started \(attempt)"
        case .progressed(let bytes, _, _): return "progressed \(bytes)"
        case .stopped(let explanation, let bytes): return "stopped \(codes(explanation)) \(bytes)"
        case .retrying(let explanation, let failure, let bytes):
            return "retrying \(codes(explanation)) \(failure.cause.code) \(bytes)"
        case .finished(let completion): return "finished \(completion.status)"
        case .failed(let failure): return "failed \(failure.cause.code)"
        case .cancelled: return "cancelled"
        }
    }
}
