// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferEngine
import TransferModel
import TransferPolicy

/// A way for a source of conditions to break its contract.
enum ConditionSourceFault: String, CaseIterable, Sendable {
    case reportsNothingAtFirst, datesFromTheFuture, datesBeforeTheClock, inventsASource, claimsAnEarlyChange
    case repeatsItself, missesChanges, keepsTheOldest, goesOnAfterStop, startsAfterStop
}

/// A source that delivers the conditions that a test sends, with a single fault.
final class FaultyConditionSource: ConditionSource {
    private struct State {
        var newest: Conditions
        var consumer: AsyncStream<Conditions>.Continuation?
        var isStopped = false
    }

    private let fault: ConditionSourceFault
    private let state: Mutex<State>

    init(_ first: Conditions, fault: ConditionSourceFault) {
        self.fault = fault
        state = Mutex(State(newest: Self.spoiled(first, fault)))
    }

    func snapshots() -> AsyncStream<Conditions> {
        let policy: AsyncStream<Conditions>.Continuation.BufferingPolicy =
            fault == .keepsTheOldest ? .bufferingOldest(1) : .bufferingNewest(1)
        let (stream, continuation) = AsyncStream<Conditions>.makeStream(bufferingPolicy: policy)
        state.withLock { state in
            if state.isStopped, fault != .startsAfterStop { return continuation.finish() }
            state.consumer = continuation
            if fault != .reportsNothingAtFirst { continuation.yield(state.newest) }
        }
        return stream
    }

    func readyToSleep() {}

    func stop() async {
        state.withLock { state in
            state.isStopped = true
            if fault != .goesOnAfterStop { state.consumer?.finish() }
        }
    }

    func send(_ conditions: Conditions) {
        state.withLock { state in
            guard fault != .missesChanges, conditions != state.newest || fault == .repeatsItself else { return }
            state.newest = conditions
            state.consumer?.yield(conditions)
        }
    }

    private static func spoiled(_ first: Conditions, _ fault: ConditionSourceFault) -> Conditions {
        var first = first
        switch fault {
        case .datesFromTheFuture: first.network.since = first.network.since.advanced(by: .seconds(60))
        case .datesBeforeTheClock: first.battery.since = first.battery.since.advanced(by: .seconds(-60))
        case .inventsASource: first.metered.value = .no
        case .claimsAnEarlyChange: first.power.isObservedChange = true
        case .reportsNothingAtFirst, .repeatsItself, .missesChanges, .keepsTheOldest, .goesOnAfterStop,
            .startsAfterStop:
            // These faults do not affect the first conditions.
            break
        }
        return first
    }
}
