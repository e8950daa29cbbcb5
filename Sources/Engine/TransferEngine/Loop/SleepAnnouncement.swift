// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The announcement that the machine is going to sleep, or down, until it was answered.
///
/// The scheduler stops what runs as soon as it is announced, as it does for any condition. The machine is told to go
/// ahead once every attempt has ended and all of it is in the store.
struct SleepAnnouncement {
    /// The announcement that is still to be answered.
    private(set) var pending: Fact<SleepState>?
    /// The one that was answered last.
    private var answered: Fact<SleepState>?

    /// Takes what a look at the machine says.
    mutating func take(_ sleep: Fact<SleepState>) {
        pending = sleep.value == .awake || sleep == answered ? nil : sleep
    }

    /// The machine is told to go ahead.
    mutating func answer(_ announced: Fact<SleepState>) { (pending, answered) = (nil, announced) }
}
