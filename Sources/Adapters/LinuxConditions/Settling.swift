// SPDX-License-Identifier: Apache-2.0

/// Lets urgent values through at once, and others once they have held; whoever owns it keeps the timer.
struct Settling<Value: Equatable> {
    /// What to do after a value was offered.
    enum Order: Equatable {
        /// Nothing: it holds already, or its time runs.
        case nothing
        /// The value counts from now on; a running timer is to be stopped.
        case take
        /// The value counts when a timer, started anew, rings: call `held` then.
        case wait
        /// The value that was to come is off; a running timer is to be stopped.
        case forget
    }

    /// The value that counts.
    private(set) var settled: Value
    private var candidate: Value?

    /// Begins with a value that counts.
    init(_ value: Value) { settled = value }

    /// Offers a new reading.
    mutating func offer(_ value: Value, isUrgent: Bool) -> Order {
        if value == settled {
            defer { candidate = nil }
            return candidate == nil ? .nothing : .forget
        }
        if isUrgent {
            settled = value
            candidate = nil
            return .take
        }
        if candidate == value { return .nothing }
        candidate = value
        return .wait
    }

    /// The timer rang: says whether the value that counts has changed.
    mutating func held() -> Bool {
        guard let candidate else { return false }
        settled = candidate
        self.candidate = nil
        return true
    }
}
