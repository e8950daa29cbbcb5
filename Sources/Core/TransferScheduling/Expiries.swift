// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// When transfers are given up, by the wall clock.
struct Expiries: ~Copyable, Sendable {
    private var wheel = TimerWheel()
    private var handles: [TransferID: TimerWheel.Handle] = [:]
    /// The earliest date; nil where there is none.
    private(set) var next: WallTime?

    mutating func add(_ id: TransferID, at date: WallTime) {
        handles[id] = wheel.insert(id.rawValue, at: Instant(nanoseconds: date.nanosecondsSinceEpoch))
        next = min(next ?? date, date)
    }

    mutating func remove(_ id: TransferID) {
        guard !handles.isEmpty, let handle = handles.removeValue(forKey: id) else { return }
        wheel.cancel(handle)
        updateNext()
    }

    /// Takes out the next transfer whose time is up.
    mutating func popFirst(at now: WallTime) -> TransferID? {
        guard let next, next <= now else { return nil }
        let fired = wheel.popFirst(dueAt: Instant(nanoseconds: now.nanosecondsSinceEpoch))
        defer { updateNext() }
        guard let fired else { return nil }
        let id = TransferID(fired.payload)
        handles[id] = nil
        return id
    }

    private mutating func updateNext() {
        next = wheel.nextDeadline.map { WallTime(nanosecondsSinceEpoch: $0.nanoseconds) }
    }
}
