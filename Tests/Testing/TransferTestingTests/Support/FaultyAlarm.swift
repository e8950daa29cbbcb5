// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferEngine
import TransferModel
import TransferPolicy

/// A way for an alarm to break its contract.
enum AlarmFault: String, CaseIterable, Sendable {
    case clockStands, clockGoesBack, ringsUnasked, ringsTwice, ringsEarly, keepsTheFirst, keepsAll, deafToNil
    case missesThePast, ringsOnlyOnce, bootHasNoName, bootChangesItsName
}

/// An alarm with a single fault, and with clocks that the test advances.
final class FaultyAlarm: Alarm {
    private struct State {
        var now = Instant(nanoseconds: 1_000_000_000)
        var readings: Int64 = 0
        var due: [Instant] = []
        var rings = 0
        var consumer: AsyncStream<AlarmSignal>.Continuation?
    }

    private let fault: AlarmFault
    private let state = Mutex(State())

    init(fault: AlarmFault) { self.fault = fault }

    var boot: String {
        switch fault {
        case .bootHasNoName: ""
        case .bootChangesItsName: "boot \(state.withLock(\.now))"
        default: "boot"
        }
    }

    func now() -> ClockReading {
        let instant = state.withLock { state in
            state.readings += 1
            let isBackwards = fault == .clockGoesBack && state.readings % 7 == 0
            return isBackwards ? state.now.advanced(by: .nanoseconds(-1)) : state.now
        }
        return ClockReading(instant: instant, wall: WallTime(secondsSinceEpoch: 0))
    }

    func set(_ instant: Instant?) {
        state.withLock { state in
            guard let instant else {
                if fault != .deafToNil { state.due = [] }
                return
            }
            if fault == .missesThePast, instant <= state.now { return }
            switch fault {
            case .keepsTheFirst: if state.due.isEmpty { state.due = [instant] }
            case .keepsAll: state.due.append(instant)
            default: state.due = [instant]
            }
            ringIfDue(&state)
        }
    }

    func signals() -> AsyncStream<AlarmSignal> {
        let (stream, continuation) = AsyncStream<AlarmSignal>.makeStream()
        state.withLock { $0.consumer = continuation }
        return stream
    }

    func advance(by duration: Duration) {
        state.withLock { state in
            if fault != .clockStands { state.now = state.now.advanced(by: duration) }
            if fault == .ringsUnasked { state.consumer?.yield(.rang) }
            ringIfDue(&state)
        }
    }

    private func ringIfDue(_ state: inout State) {
        let reach = fault == .ringsEarly ? state.now.advanced(by: .milliseconds(30)) : state.now
        let count = state.due.count { $0 <= reach }
        state.due.removeAll { $0 <= reach }
        for _ in 0..<count where fault != .ringsOnlyOnce || state.rings == 0 {
            state.rings += 1
            state.consumer?.yield(.rang)
            if fault == .ringsTwice { state.consumer?.yield(.rang) }
        }
    }
}
