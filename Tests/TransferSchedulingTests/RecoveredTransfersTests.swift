// SPDX-License-Identifier: Apache-2.0
import SchedulerTrials
import Testing
import TransferPolicy
import TransferScheduling

@Suite struct RecoveredTransfersTests {
    private static let start = Moment(
        instant: Instant(nanoseconds: 1_000_000_000_000), wall: WallTime(secondsSinceEpoch: 1_795_392_000))

    private static func traits(
        _ kind: WorkKind = .normal, notBefore: WallTime? = nil, deadline: WallTime? = nil, priority: Int = 500,
        host: String = "h", expected: Int64? = nil, sending: Int64? = nil, submitted: Int64 = 0,
        expires: WallTime? = nil
    ) -> TransferTraits {
        TransferTraits(
            kind: kind,
            constraints: Constraints(
                notBefore: notBefore.map { NotBeforeConstraint($0) }, deadline: deadline.map { DeadlineConstraint($0) }),
            priority: priority, host: host, expectedBytesToReceive: expected, expectedBytesToSend: sending,
            submitted: WallTime(secondsSinceEpoch: submitted), expires: expires)
    }

    private static var conditions: Conditions {
        var conditions = Conditions(unknownSince: start)
        conditions.power = Fact(.ac, source: .upower, since: start)
        conditions.network = Fact(.full, source: .kernel, since: start)
        conditions.linkKind = Fact(.ethernet, source: .kernel, since: start)
        conditions.metered = Fact(.no, source: .networkManager, since: start)
        return conditions
    }

    private static func starts(_ effects: [Effect]) -> [Int64] {
        effects.compactMap { if case .start(let id) = $0 { id.rawValue } else { nil } }
    }

    // MARK: What is in them

    @Test("Whoever reads them gets each whole, however like the others it is")
    func elements() {
        let date = WallTime(secondsSinceEpoch: 7)
        let (first, last) = (WallTime(nanosecondsSinceEpoch: .min), WallTime(nanosecondsSinceEpoch: .max))
        let all = [
            Self.traits(), Self.traits(submitted: 3), Self.traits(notBefore: date), Self.traits(deadline: date),
            Self.traits(notBefore: first, deadline: last, expires: last), Self.traits(expected: 0),
            Self.traits(expected: 5, sending: 0), Self.traits(host: "g"), Self.traits(expires: date), Self.traits(),
        ].enumerated().map { index, traits in
            RecoveredTransfer(
                id: TransferID(Int64(3 * index)), traits: traits,
                state: index % 4 == 0 ? RecoveredState(bytes: Int64(index), isPaused: true) : RecoveredState())
        }
        var transfers = RecoveredTransfers(all)
        #expect(Array(transfers) == all)
        let removed = transfers.remove { $0.rawValue % 2 == 0 }
        #expect(removed == all.filter { $0.id.rawValue % 2 == 0 })
        #expect(Array(transfers) == all.filter { $0.id.rawValue % 2 != 0 })
    }

    // MARK: Taken in

    /// A scheduler that is given the same transfers one by one.
    private final class OneByOne: TrialShadow {
        private var scheduler: Scheduler
        private let configuration: SchedulerConfiguration
        private(set) var generator: SplitMix64

        init(_ setup: TrialSetup, _ policy: any Policy) {
            configuration = setup.configuration
            generator = SplitMix64(seed: setup.seed)
            scheduler = Scheduler(configuration: configuration, policy: policy, startingAt: Trial.start)
        }

        func apply(_ event: Event, at now: Moment) -> [Effect] { scheduler.apply(event, at: now, using: &generator) }

        func setPolicy(_ policy: any Policy, at now: Moment) -> [Effect] {
            scheduler.setPolicy(policy, at: now, using: &generator)
        }

        func take(_ transfers: RecoveredTransfers, at now: Moment) {
            for transfer in transfers {
                // No more than when to be woken: asleep nothing starts, and what has expired had done so before.
                _ = apply(.recovered(transfer.id, transfer.traits, transfer.state), at: now)
            }
        }

        func restart(policy: any Policy, expecting learned: Learned, boot: String, at now: Moment) -> Bool {
            scheduler = Scheduler(
                configuration: configuration, policy: policy, learned: learned, boot: boot, startingAt: now)
            return true
        }
    }

    @Test("A queue that is taken in at once is the queue that is taken in one by one", arguments: 0..<4)
    func equalsOneByOne(part: Int) {
        let base = UInt64.random(in: 0..<1 << 48)
        print("RecoveredTransfersTests part \(part): seed \(base)")
        for seed in base..<base + 8 {
            let run = TrialRun(seed: seed) { OneByOne($0, $1) }
            let trial = run.run(steps: 600, prepare: { $0.recovery = .asleep })
            #expect(trial.faults == [], "seed \(seed)")
            if !trial.faults.isEmpty { return }
        }
    }

    @Test("What starts first is decided when all are there, by rank and not by number")
    func rank() {
        var scheduler = Scheduler(startingAt: Self.start)
        var generator = SplitMix64(seed: 1)
        _ = scheduler.apply(.conditionsChanged(Self.conditions), at: Self.start, using: &generator)
        let low = (1...9).map { RecoveredTransfer(id: TransferID($0), traits: Self.traits(host: "\($0)")) }
        let high = RecoveredTransfer(id: TransferID(10), traits: Self.traits(priority: 900, host: "x"))
        scheduler.take(RecoveredTransfers(low), at: Self.start)
        scheduler.take(RecoveredTransfers([high]), at: Self.start)
        #expect(scheduler.openCount == 10)
        #expect(Self.starts(scheduler.apply(.woken, at: Self.start, using: &generator)) == [10, 1, 2, 3])
        // One that is there already stays as it is.
        scheduler.take(RecoveredTransfers(low), at: Self.start)
        #expect(scheduler.openCount == 10)
        #expect(Self.starts(scheduler.apply(.finished(TransferID(10)), at: Self.start, using: &generator)) == [4])
    }

    @Test("A date that had come when it was taken in lies ahead again where the clock is set back before the next look")
    func clockSetBack() {
        var scheduler = Scheduler(startingAt: Self.start)
        var generator = SplitMix64(seed: 1)
        _ = scheduler.apply(.conditionsChanged(Self.conditions), at: Self.start, using: &generator)
        var later = Self.start.advanced(by: .seconds(100))
        let date = Self.start.wall.advanced(by: .seconds(80))
        let transfers = (1...3).map { RecoveredTransfer(id: TransferID($0), traits: Self.traits(notBefore: date)) }
        scheduler.take(RecoveredTransfers(transfers), at: later)
        later.wall = Self.start.wall.advanced(by: .seconds(60))
        #expect(Self.starts(scheduler.apply(.woken, at: later, using: &generator)) == [])
        let due = later.advanced(by: .seconds(20))
        #expect(Self.starts(scheduler.apply(.woken, at: due, using: &generator)) == [1, 2])
    }
}
