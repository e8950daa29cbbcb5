// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The announcement of the machine's sleep or shutdown, until it is answered.
///
/// The scheduler stops running transfers as soon as the sleep or shutdown is announced, as for any other condition.
/// The machine may proceed after every attempt has ended and all changes are in the store.
struct SleepAnnouncement {
    /// The announcement that is not answered yet.
    private(set) var pending: Fact<SleepState>?
    /// The announcement that was answered last.
    private var answered: Fact<SleepState>?

    /// Takes the sleep state of a snapshot.
    mutating func take(_ sleep: Fact<SleepState>) {
        pending = sleep.value == .awake || sleep == answered ? nil : sleep
    }

    /// Records that an announcement was answered.
    mutating func answer(_ announced: Fact<SleepState>) { (pending, answered) = (nil, announced) }
}
