// SPDX-License-Identifier: Apache-2.0
import Foundation
import TransferModel
import TransferPolicy
import TransferScheduling

/// The same events in every run, under the default policy with deadlines, for counts of instructions and allocations.
///
/// A quarter of the transfers has a deadline, as in `core-scale` of Benchmarks. The run is small enough for Callgrind.
struct FixedWorkload: ~Copyable {
    private let count: Int
    private var scheduler: Scheduler
    private var generator = SplitMix64(seed: 2026)
    private var effects: [Effect] = []
    private var running: [TransferID] = []
    private var now = ClockReading(
        instant: Instant(nanoseconds: 1_000_000_000_000), wall: WallTime(secondsSinceEpoch: 1_800_000_000))
    private let start: ClockReading

    /// - Parameter count: The number of transfers to submit.
    init(submitting count: Int) throws {
        self.count = count
        start = now
        var configuration = SchedulerConfiguration()
        configuration.staggeredStartJitter = .zero
        scheduler = Scheduler(
            configuration: configuration, policy: try PolicyCatalog.policy(named: "default"), startingAt: now)
    }

    /// Submits all transfers on battery, unplugs and plugs the machine in turn, and finishes a tenth of the transfers.
    ///
    /// - Returns: The number of transfers that started.
    mutating func run() -> Int {
        apply(.conditionsChanged(conditions(isOnAC: false)))
        for number in 1...count {
            apply(.submitted(TransferID(Int64(number)), traits()), after: .milliseconds(1))
        }
        for number in 0..<count / 10 {
            apply(.conditionsChanged(conditions(isOnAC: number % 2 == 1)), after: .seconds(1))
        }
        // The debounce of the last plug ends.
        apply(.conditionsChanged(conditions(isOnAC: true)))
        apply(.woken, after: .seconds(600))
        var started = running.count
        for _ in 0..<count / 10 {
            guard !running.isEmpty else { break }
            apply(.finished(running.removeFirst()), after: .milliseconds(1))
            started += 1
        }
        return started
    }

    private mutating func apply(_ event: Event, after time: Duration = .zero) {
        now = ClockReading(instant: now.instant.advanced(by: time), wall: now.wall.advanced(by: time))
        effects.removeAll(keepingCapacity: true)
        scheduler.apply(event, at: now, using: &generator, into: &effects)
        for case .start(let id) in effects { running.append(id) }
    }

    private mutating func traits() -> TransferTraits {
        let isDated = Int.random(in: 0..<4, using: &generator) == 0
        let hours = Int64.random(in: 48...720, using: &generator)
        return TransferTraits(
            kind: .discretionary,
            constraints: Constraints(
                metered: .unmetered,
                deadline: isDated ? DeadlineConstraint(now.wall.advanced(by: .seconds(hours * 3600))) : nil),
            priority: 500, host: "https://server.example.org:443", app: "org.example.application", submitted: now.wall)
    }

    private func conditions(isOnAC: Bool) -> Conditions {
        var conditions = Conditions(unknownSince: start)
        conditions.power = Fact(isOnAC ? .ac : .battery, source: .upower, since: now, isObservedChange: true)
        conditions.network = Fact(.full, source: .networkManager, since: start, isObservedChange: false)
        conditions.linkKind = Fact(.wifi, source: .networkManager, since: start, isObservedChange: false)
        conditions.metered = Fact(.no, source: .networkManager, since: start, isObservedChange: false)
        return conditions
    }
}
