// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The deduplicator for a session's events, which arrive again after a restart of the daemon.
struct EventDeduplicator {
    /// The action to take for an event that arrives.
    enum Decision: Hashable {
        case deliver
        /// The program has received the event and has not acknowledged it yet.
        case drop
        /// The program has acknowledged the event, but the daemon does not know that.
        case acknowledgeAgain
    }

    /// The highest number so far. Events arrive in the order of their numbers.
    private var last: EventNumber = -1
    private var unacknowledged: Set<EventNumber> = []

    /// Records an event and returns the action to take. An event without a number is always reported.
    mutating func receive(_ number: EventNumber?) -> Decision {
        guard let number else { return .deliver }
        guard number <= last else {
            last = number
            unacknowledged.insert(number)
            return .deliver
        }
        return unacknowledged.contains(number) ? .drop : .acknowledgeAgain
    }

    /// Records that the program has acknowledged an event.
    mutating func acknowledge(_ number: EventNumber) { unacknowledged.remove(number) }
}
