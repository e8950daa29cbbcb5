// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A source of snapshots of the machine's conditions.
///
/// Every implementation passes `ConditionSourceContract` in TransferTesting.
///
/// A source need not compare its readings: the scheduler compares each snapshot with the last one, and debounces the
/// facts that have changed. A source that does compare them, with `Fact.update(to:source:confidence:at:)`, also
/// reports changes that no snapshot shows, because a slow consumer has missed it.
public protocol ConditionSource: Sendable {
    /// Returns a stream of the machine's conditions. Supports one consumer at a time.
    ///
    /// The first snapshot arrives when every reader has reported or timed out (at most 2 s). Each change produces
    /// another snapshot. A slow consumer receives the newest snapshot and misses the snapshots in between.
    func snapshots() -> AsyncStream<Conditions>

    /// Reports that everything is stopped and saved, so that the announced sleep or shutdown may proceed.
    ///
    /// A source that can delay the sleep or shutdown does so until this call, but only for a limited time. The call
    /// may be repeated. Without an announcement in the last snapshot, the call has no effect.
    func readyToSleep()

    /// Ends the stream and releases threads, sockets, and buses.
    func stop() async
}
