// SPDX-License-Identifier: Apache-2.0

/// Accounts of the messages between this connection and the others on the bus, by their unique names: how many of their calls
/// are in flight, and how much they were sent without having shown that they read it.
///
/// A message bus keeps whatever a stopped receiver does not read, and GDBus keeps whatever comes in faster than it is
/// handled. These accounts put a bound on both (rules C5 and C7). A value; ``BusFlow`` asks it for each message.
struct MessageFlow {
    /// The bounds.
    struct Limits: Hashable, Sendable {
        /// Calls of one connection that are not answered yet.
        var calls = 1000
        /// Bytes of those calls, of one connection and of all together.
        var callBytes = 32 << 20
        var allCallBytes = 128 << 20
        /// The largest single call.
        var largestCall = 16 << 20
        /// Messages, and bytes, that are sent to a connection before it has to show that it reads them.
        var unconfirmed = 1024
        var unconfirmedBytes = 32 << 20
        /// Messages after which a connection is asked to show that.
        var askingAfter = 64
        /// Answers, and their bytes, to calls that a connection makes one after the other: it has read each before the next
        /// call, unless it only plays that. A program that blocks in each of its calls never shows more.
        var blocking = 1_000_000
        var blockingBytes = 1 << 30
    }

    /// The answer to whether a call may come in.
    enum Admission: Hashable {
        case admitted
        case tooLarge(bytes: Int)
        case tooMany(calls: Int)
        case tooMuch(bytes: Int)
        /// The connection has not shown for very long that it reads.
        case unconfirmed(answers: Int)
        /// It may not, and not even an error is sent, since the connection reads nothing.
        case ignored
    }

    private struct Peer {
        /// The sizes of the calls in flight, by their serial numbers.
        var calls: [UInt32: Int] = [:]
        var callBytes = 0
        var sent = 0
        var sentBytes = 0
        var blocking = 0
        var blockingBytes = 0
        /// What had been sent when the connection was asked to show that it reads; nil while it is not asked.
        var asked: (sent: Int, bytes: Int)?
    }

    private var peers: [String: Peer] = [:]
    private var allCallBytes = 0
    let limits: Limits

    init(limits: Limits = Limits()) { self.limits = limits }

    /// Decides about a call, and counts it where it is admitted.
    mutating func receive(_ serial: UInt32, bytes: Int, from name: String) -> Admission {
        var peer = peers[name] ?? Peer()
        if let refusal = refusal(of: bytes, from: peer) { return isStalled(peer) ? .ignored : refusal }
        let before = peer.calls.updateValue(bytes, forKey: serial) ?? 0
        peer.callBytes += bytes - before
        allCallBytes += bytes - before
        peers[name] = peer
        return .admitted
    }

    /// Nil where a call may come in. That of a stalled connection may, too: it is answered once the connection reads again.
    private func refusal(of bytes: Int, from peer: Peer) -> Admission? {
        guard peer.blocking < limits.blocking, peer.blockingBytes < limits.blockingBytes else {
            return .unconfirmed(answers: peer.blocking)
        }
        guard bytes <= limits.largestCall else { return .tooLarge(bytes: bytes) }
        guard peer.calls.count < limits.calls else { return .tooMany(calls: peer.calls.count) }
        guard peer.callBytes + bytes <= limits.callBytes, allCallBytes + bytes <= limits.allCallBytes else {
            return .tooMuch(bytes: peer.callBytes)
        }
        return nil
    }

    /// Counts an answer that goes out.
    ///
    /// - Returns: whether the receiver is to be asked to show that it reads.
    mutating func reply(to serial: UInt32, bytes: Int, of name: String) -> Bool {
        let isOnlyCall = peers[name].map { $0.calls.count == 1 && $0.calls[serial] != nil } ?? false
        answered(serial, of: name)
        guard isOnlyCall else { return send(bytes: bytes, to: name) }
        peers[name]?.blocking += 1
        peers[name]?.blockingBytes += bytes
        return false
    }

    /// Notes that a call was answered, or needs no answer. Safe to repeat.
    mutating func answered(_ serial: UInt32, of name: String) {
        guard let bytes = peers[name]?.calls.removeValue(forKey: serial) else { return }
        peers[name]?.callBytes -= bytes
        allCallBytes -= bytes
    }

    /// Counts a message that goes out.
    ///
    /// - Returns: whether the receiver is to be asked to show that it reads.
    mutating func send(bytes: Int, to name: String) -> Bool {
        var peer = peers[name] ?? Peer()
        peer.sent += 1
        peer.sentBytes += bytes
        let isDue =
            peer.asked == nil && (peer.sent >= limits.askingAfter || peer.sentBytes >= limits.unconfirmedBytes / 4)
        if isDue { peer.asked = (peer.sent, peer.sentBytes) }
        peers[name] = peer
        return isDue
    }

    /// The consequence of a receiver's proof that it has read everything sent before it was asked.
    enum Confirmation: Hashable {
        /// Nothing.
        case none
        /// It was stalled, and is so no longer.
        case resumed
        /// It has been sent so much meanwhile that it is to be asked again.
        case askAgain
    }

    /// Notes that a receiver has read what it had been sent when it was asked.
    mutating func confirm(_ name: String) -> Confirmation {
        guard var peer = peers[name], let asked = peer.asked else { return .none }
        let wasStalled = isStalled(peer)
        peer.sent -= asked.sent
        peer.sentBytes -= asked.bytes
        peer.asked = nil
        (peer.blocking, peer.blockingBytes) = (0, 0)
        // While it is stalled nothing is sent to it, by which it could be asked.
        let isStalled = isStalled(peer)
        if isStalled { peer.asked = (peer.sent, peer.sentBytes) }
        peers[name] = peer
        return isStalled ? .askAgain : wasStalled ? .resumed : .none
    }

    /// Whether a receiver has left so much unread that it is sent nothing more.
    func isStalled(_ name: String) -> Bool { peers[name].map(isStalled) ?? false }

    private func isStalled(_ peer: Peer) -> Bool {
        peer.sent >= limits.unconfirmed || peer.sentBytes >= limits.unconfirmedBytes
    }

    /// Forgets a connection that has gone.
    mutating func forget(_ name: String) {
        guard let peer = peers.removeValue(forKey: name) else { return }
        allCallBytes -= peer.callBytes
    }
}
