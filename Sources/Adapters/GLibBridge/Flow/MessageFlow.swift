// SPDX-License-Identifier: Apache-2.0

/// The accounts of messages between this connection and others on the bus, by unique name. Each account counts the
/// calls in flight, and the messages sent to a peer that has not shown yet that it reads them.
///
/// A message bus stores everything that a stopped receiver does not read, and GDBus stores everything that arrives
/// faster than it is handled. The accounts limit both (rules C5 and C7). ``BusFlow`` consults this value for each
/// message.
struct MessageFlow {
    /// The limits.
    struct Limits: Hashable, Sendable {
        /// The number of unanswered calls of one connection.
        var calls = 1000
        /// The bytes of the unanswered calls, of one connection and of all connections together.
        var callBytes = 32 << 20
        var allCallBytes = 128 << 20
        /// The size of the largest single call, in bytes.
        var largestCall = 16 << 20
        /// The number of messages, and of bytes, that are sent to a connection before it must show that it reads them.
        var unconfirmed = 1024
        var unconfirmedBytes = 32 << 20
        /// The number of messages after which a connection is asked to show that it reads them.
        var confirmationInterval = 64
        /// The number of replies, and of their bytes, to calls that a connection makes one after another. A
        /// well-behaved connection has read each reply before its next call. A program that blocks in each of its calls
        /// never shows more.
        var blocking = 1_000_000
        var blockingBytes = 1 << 30
    }

    /// The decision about an incoming call.
    enum Admission: Hashable {
        case admitted
        case tooLarge(bytes: Int)
        case tooMany(calls: Int)
        case tooMuch(bytes: Int)
        /// The connection has not shown for very long that it reads its messages.
        case unconfirmed(replies: Int)
        /// The call is dropped without an error, because the connection reads nothing.
        case ignored
    }

    private struct Peer {
        /// The sizes of the calls in flight, by serial number.
        var calls: [UInt32: Int] = [:]
        var callBytes = 0
        var sent = 0
        var sentBytes = 0
        var blocking = 0
        var blockingBytes = 0
        /// The amounts sent when the connection was asked to show that it reads; `nil` if no request is pending.
        var confirmationRequest: (sent: Int, bytes: Int)?
    }

    private var peers: [String: Peer] = [:]
    private var allCallBytes = 0
    let limits: Limits

    init(limits: Limits = Limits()) { self.limits = limits }

    /// Decides about a call, and counts the call if it is admitted.
    mutating func receive(_ serial: UInt32, bytes: Int, from name: String) -> Admission {
        var peer = peers[name] ?? Peer()
        if let refusal = refusal(of: bytes, from: peer) { return isStalled(peer) ? .ignored : refusal }
        let before = peer.calls.updateValue(bytes, forKey: serial) ?? 0
        peer.callBytes += bytes - before
        allCallBytes += bytes - before
        peers[name] = peer
        return .admitted
    }

    /// Returns the reason to refuse a call; `nil` if the call is admitted. Calls of a stalled connection are admitted
    /// within the limits, and answered after the connection reads again.
    private func refusal(of bytes: Int, from peer: Peer) -> Admission? {
        guard peer.blocking < limits.blocking, peer.blockingBytes < limits.blockingBytes else {
            return .unconfirmed(replies: peer.blocking)
        }
        guard bytes <= limits.largestCall else { return .tooLarge(bytes: bytes) }
        guard peer.calls.count < limits.calls else { return .tooMany(calls: peer.calls.count) }
        guard peer.callBytes + bytes <= limits.callBytes, allCallBytes + bytes <= limits.allCallBytes else {
            return .tooMuch(bytes: peer.callBytes)
        }
        return nil
    }

    /// Counts an outgoing reply.
    ///
    /// - Returns: Whether the receiver must be asked to show that it reads its messages.
    mutating func reply(to serial: UInt32, bytes: Int, of name: String) -> Bool {
        let isOnlyCall = peers[name].map { $0.calls.count == 1 && $0.calls[serial] != nil } ?? false
        markReplied(serial, of: name)
        guard isOnlyCall else { return send(bytes: bytes, to: name) }
        peers[name]?.blocking += 1
        peers[name]?.blockingBytes += bytes
        return false
    }

    /// Records that a call was answered or needs no reply. Safe to repeat.
    mutating func markReplied(_ serial: UInt32, of name: String) {
        guard let bytes = peers[name]?.calls.removeValue(forKey: serial) else { return }
        peers[name]?.callBytes -= bytes
        allCallBytes -= bytes
    }

    /// Counts an outgoing message.
    ///
    /// - Returns: Whether the receiver must be asked to show that it reads its messages.
    mutating func send(bytes: Int, to name: String) -> Bool {
        var peer = peers[name] ?? Peer()
        peer.sent += 1
        peer.sentBytes += bytes
        let isDue =
            peer.confirmationRequest == nil
            && (peer.sent >= limits.confirmationInterval || peer.sentBytes >= limits.unconfirmedBytes / 4)
        if isDue { peer.confirmationRequest = (peer.sent, peer.sentBytes) }
        peers[name] = peer
        return isDue
    }

    /// The result of a receiver's proof that it has read everything sent before it was asked.
    enum Confirmation: Hashable {
        /// No change.
        case none
        /// The receiver was stalled and is no longer.
        case resumed
        /// The receiver has been sent so much in the meantime that it must be asked again.
        case requestAgain
    }

    /// Records that a receiver has read everything sent before it was asked.
    mutating func confirm(_ name: String) -> Confirmation {
        guard var peer = peers[name], let confirmationRequest = peer.confirmationRequest else { return .none }
        let wasStalled = isStalled(peer)
        peer.sent -= confirmationRequest.sent
        peer.sentBytes -= confirmationRequest.bytes
        peer.confirmationRequest = nil
        (peer.blocking, peer.blockingBytes) = (0, 0)
        // A stalled receiver is sent no messages, so no later message would trigger the next request.
        let isStalled = isStalled(peer)
        if isStalled { peer.confirmationRequest = (peer.sent, peer.sentBytes) }
        peers[name] = peer
        return isStalled ? .requestAgain : wasStalled ? .resumed : .none
    }

    /// Returns whether a receiver has so many unread messages that it must not be sent more.
    func isStalled(_ name: String) -> Bool { peers[name].map(isStalled) ?? false }

    private func isStalled(_ peer: Peer) -> Bool {
        peer.sent >= limits.unconfirmed || peer.sentBytes >= limits.unconfirmedBytes
    }

    /// Removes the account of a connection that has closed.
    mutating func forget(_ name: String) {
        guard let peer = peers.removeValue(forKey: name) else { return }
        allCallBytes -= peer.callBytes
    }
}
