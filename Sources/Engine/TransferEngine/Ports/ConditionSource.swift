// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// Tells what the machine is like.
///
/// Every implementation passes `ConditionSourceContract` in TransferTesting.
public protocol ConditionSource: Sendable {
    /// The conditions: first a snapshot as soon as every reader has answered or run out of its time (at most 2 s), then
    /// one for each change. A slow consumer sees the newest and misses those in between. One consumer at a time.
    func snapshots() -> AsyncStream<Conditions>

    /// Everything is stopped and saved: the sleep or the switching off that the last snapshot announced may go ahead.
    ///
    /// A source that can put that off does so until this is called, though never for long. May be repeated; without such
    /// an announcement it does nothing.
    func readyToSleep()

    /// Ends the stream and lets go of threads, sockets and buses.
    func stop() async
}
