// SPDX-License-Identifier: Apache-2.0
import SchedulerPropertyRuns
import TransferModel
import TransferPolicy
import TransferScheduling

/// Two schedulers that recovered the same queue while nothing could start, one in a batch and one transfer by
/// transfer.
struct RecoveredPair: ~Copyable {
    var atOnce: Scheduler
    var oneByOne: Scheduler
    var generators: (SplitMix64, SplitMix64)
    var running: [TransferID] = []
    /// The reports about deadlines during recovery. The other scheduler returns them at the next event.
    private var early: [Effect] = []

    init(_ policy: any Policy, _ queue: [RecoveredTransfer], keepsDeadlines: Bool, seed: UInt64) {
        var configuration = SchedulerConfiguration()
        configuration.keepsDeadlines = keepsDeadlines
        let start = RecoveredTransfersTests.start
        atOnce = Scheduler(configuration: configuration, policy: policy, startingAt: start)
        oneByOne = Scheduler(configuration: configuration, policy: policy, startingAt: start)
        generators = (SplitMix64(seed: seed), SplitMix64(seed: seed))
        var asleep = RecoveredTransfersTests.conditions
        asleep.sleep.value = .aboutToSleep
        _ = apply(.conditionsChanged(asleep), at: RecoveredTransfersTests.start)
        atOnce.recover(RecoveredTransfers(queue), at: RecoveredTransfersTests.start)
        for transfer in queue {
            early += oneByOne.apply(
                .recovered(transfer.id, transfer.traits, transfer.state), at: RecoveredTransfersTests.start,
                using: &generators.1
            ).filter { if case .wake = $0 { false } else { true } }
        }
    }

    /// Applies an event to both schedulers and returns whether their effects are equal.
    mutating func apply(_ event: Event, at now: ClockReading) -> Bool {
        // Ignore wake-ups, because the second scheduler reported its wake-up with the last recovered transfer.
        func isNews(_ effect: Effect) -> Bool { if case .wake = effect { false } else { true } }
        let effects = atOnce.apply(event, at: now, using: &generators.0).filter(isNews)
        for effect in effects {
            switch effect {
            case .start(let id): running.append(id)
            case .end(let id, _): running.removeAll { $0 == id }
            default: break  // Nothing starts or ends.
            }
        }
        let others = early + oneByOne.apply(event, at: now, using: &generators.1).filter(isNews)
        early = []
        return effects.reportsLast == others.reportsLast
    }
}

extension [Effect] {
    /// The effects with the reports about deadlines at the end. Recovery one by one reports each as it goes.
    fileprivate var reportsLast: [Effect] {
        filter { !$0.isDeadlineReport } + filter(\.isDeadlineReport).sorted { "\($0)" < "\($1)" }
    }
}

extension Effect {
    fileprivate var isDeadlineReport: Bool {
        switch self {
        case .reportDeadline, .saveStatistics: true
        default: false
        }
    }
}
