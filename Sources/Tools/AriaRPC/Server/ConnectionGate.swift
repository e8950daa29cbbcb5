// SPDX-License-Identifier: Apache-2.0
import FlyingSocks
import Foundation
import Glibc
import Synchronization

/// Accepts connections from this machine and passes their bytes to the server behind it, within limits.
///
/// The server, a library, has no limits of its own: header fields, frames, and the number of connections can grow until
/// the memory is used up. Any program of any user of this machine can connect, so the gate counts:
/// - connections: further ones wait in the kernel until one has ended.
/// - bytes of the header fields, and all bytes that a client has sent since the server last answered: more end the
///   connection.
/// - the time that a client takes for a request, or to read an answer: longer ends the connection.
///
/// A program of another user therefore cannot do more than keep others waiting.
struct ConnectionGate: Sendable {
    /// The limits of the gate.
    struct Limits: Sendable {
        /// The maximum number of connections at a time.
        var connections = 64
        /// The maximum number of bytes of a request's header fields. The server's time for a line grows with the square
        /// of its length.
        var headerBytes = 8 << 10
        /// The number of bytes that may be on their way to the server, which it reads even if it refuses them.
        var pendingBytes: Int32 = 4 << 10
        /// The maximum number of bytes without an answer: a request with its header fields.
        var bytes = RPCHandler.maximumBytes + (64 << 10)
        /// The maximum time for a request and its answer.
        var requestTime = Duration.seconds(30)
    }

    private let socketPath: String
    private let limits: Limits
    private let pool: any AsyncSocketPool

    /// Creates a gate.
    ///
    /// - Parameters:
    ///   - socketPath: The path of the socket of the server behind the gate.
    ///   - pool: The pool of the sockets, which is running.
    init(to socketPath: String, pool: any AsyncSocketPool, limits: Limits = Limits()) {
        (self.socketPath, self.pool, self.limits) = (socketPath, pool, limits)
    }

    /// Passes connections of a listening socket on until the task is canceled.
    func run(_ listener: Socket) async throws {
        let listener = try AsyncSocket(socket: listener, pool: pool)
        let slots = Slots(limits.connections)
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                await slots.claim()
                let client: AsyncSocket
                do { client = try await listener.accept() } catch {
                    await slots.give()
                    // For example too many open files: a pause, so that others can end.
                    try await Task.sleep(for: .milliseconds(100))
                    continue
                }
                group.addTask {
                    await serve(client)
                    await slots.give()
                }
            }
        }
    }

    private func serve(_ client: AsyncSocket) async {
        defer { try? client.close() }
        guard
            let server = try? await AsyncSocket.connected(
                to: .unix(path: socketPath), pool: pool, timeout: 5)
        else { return }
        defer { try? server.close() }
        try? server.socket.setValue(limits.pendingBytes, for: .sendBufferSize)
        let meter = Meter(limits)
        await withTaskGroup { group in
            group.addTask { await Self.pass(from: client, to: server, meter.received) { true } }
            group.addTask { await Self.pass(from: server, to: client, meter.answering, after: meter.answered) }
            group.addTask { await meter.waitForFault() }
            // Whatever ends first ends the connection. Shutting the sockets down wakes the others.
            await group.next()
            shutdown(client.socket.file.rawValue, Int32(SHUT_RDWR))
            shutdown(server.socket.file.rawValue, Int32(SHUT_RDWR))
            group.cancelAll()
        }
    }

    /// Passes bytes on until the end of a stream, an error, or a fault.
    ///
    /// - Parameters:
    ///   - before: Receives the bytes before they are written. Returns whether they are within the limits.
    ///   - after: Called after the bytes are written. Returns whether more may follow.
    private static func pass(
        from source: AsyncSocket, to destination: AsyncSocket, _ before: ([UInt8]) -> Bool, after: () -> Bool
    ) async {
        do {
            while true {
                let bytes = try await source.read(atMost: 16 << 10)
                guard !bytes.isEmpty, before(bytes) else { return }
                try await destination.write(Data(bytes))
                guard after() else { return }
            }
        } catch {
            return
        }
    }
}

/// The number of free connections.
private actor Slots {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func claim() async {
        if free > 0 {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func give() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}

/// Counts the bytes and the time of a connection between two answers.
private final class Meter: Sendable {
    private struct State {
        var unanswered = 0
        /// The number of bytes of the empty line after the header fields that were the last to arrive; 4 when the header
        /// fields are complete.
        var headEnd = 0
        /// Whether the connection has become a WebSocket, which has no more header fields.
        var isUpgraded = false
        /// Whether the server has refused a body.
        var isRefused = false
        /// The time of the first byte without an answer; the start of the connection before the first byte.
        var waitingSince: ContinuousClock.Instant? = .now
    }

    private let limits: ConnectionGate.Limits
    private let state = Mutex(State())

    init(_ limits: ConnectionGate.Limits) { self.limits = limits }

    /// Counts bytes from the client. Returns whether they are within the limits.
    func received(_ bytes: [UInt8]) -> Bool {
        state.withLock { state in
            state.unanswered += bytes.count
            state.waitingSince = state.waitingSince ?? .now
            for byte in bytes where state.headEnd < Self.emptyLine.count {
                state.headEnd = byte == Self.emptyLine[state.headEnd] ? state.headEnd + 1 : byte == 13 ? 1 : 0
            }
            let isInHead = state.headEnd < Self.emptyLine.count && !state.isUpgraded
            return state.unanswered <= (isInHead ? limits.headerBytes : limits.bytes)
        }
    }

    /// The end of the header fields.
    private static let emptyLine = Array("\r\n\r\n".utf8)

    /// Counts bytes from the server, which the client has not yet read.
    func answering(_ bytes: [UInt8]) -> Bool {
        state.withLock { state in
            (state.unanswered, state.headEnd, state.waitingSince) = (0, 0, .now)
            state.isRefused = Self.refusals.contains { bytes.starts(with: $0.utf8) }
            state.isUpgraded = state.isUpgraded || bytes.starts(with: "HTTP/1.1 101 ".utf8)
            return true
        }
    }

    /// Ends the wait for the client to read. The wait for an answer goes on if the client has sent more meanwhile.
    ///
    /// - Returns: Whether the connection goes on. It does not after a body was refused, because the body still follows.
    func answered() -> Bool {
        state.withLock { state in
            if state.unanswered == 0 { state.waitingSince = nil }
            return !state.isRefused
        }
    }

    /// The beginnings of answers that refuse a body: length required, and content too large.
    private static let refusals = ["HTTP/1.1 411 ", "HTTP/1.1 413 "]

    /// Returns when a request takes too long.
    func waitForFault() async {
        while !Task.isCancelled {
            let start = state.withLock { $0.waitingSince }
            if let start, start.duration(to: .now) > limits.requestTime { return }
            try? await Task.sleep(for: limits.requestTime / 10)
        }
    }
}
