// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Which events of a session this process was told: after a restart of the daemon they come again.
struct EventLedger {
    /// What is to be done with an event that comes.
    enum Verdict: Hashable {
        case tell
        /// The program has it, and has not said yet that it has dealt with it.
        case drop
        /// The program has dealt with it, which the other side does not know.
        case acknowledgeAgain
    }

    /// Events come in the order of their numbers.
    private var last: EventNumber = -1
    private var unacknowledged: Set<EventNumber> = []

    /// An event of that number comes; those without one are told whenever they come.
    mutating func take(_ number: EventNumber?) -> Verdict {
        guard let number else { return .tell }
        guard number <= last else {
            last = number
            unacknowledged.insert(number)
            return .tell
        }
        return unacknowledged.contains(number) ? .drop : .acknowledgeAgain
    }

    /// The program has dealt with it.
    mutating func acknowledge(_ number: EventNumber) { unacknowledged.remove(number) }
}
