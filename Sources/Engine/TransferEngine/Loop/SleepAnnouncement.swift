// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The announcement of the machine's sleep or shutdown, until it is acknowledged.
///
/// The scheduler stops running transfers as soon as the sleep or shutdown is announced, as for any other condition.
/// The machine may proceed after every attempt has ended and all changes are in the store.
struct SleepAnnouncement {
    /// The announcement that is not acknowledged yet.
    private(set) var pending: Fact<SleepState>?
    /// The announcement that was acknowledged last.
    private var acknowledged: Fact<SleepState>?

    /// Handles the sleep state of a snapshot.
    mutating func receive(_ sleep: Fact<SleepState>) {
        pending = sleep.value == .awake || sleep == acknowledged ? nil : sleep
    }

    /// Records that an announcement was acknowledged.
    mutating func acknowledge(_ announced: Fact<SleepState>) { (pending, acknowledged) = (nil, announced) }
}
