// SPDX-License-Identifier: Apache-2.0
import CCurl
import Foundation
public import HTTPExecutor
import LinuxKernel
import Synchronization
import TransferFiles

extension Transport {
    /// libcurl's multi interface on one thread.
    ///
    /// Supports every setting of an executor. Needs libcurl 7.85 or later, which is loaded with the first executor.
    public static let curl = Transport { (surroundings) throws(HTTPExecutorError) in
        if let reason = transfer_curl_load() {
            throw HTTPExecutorError(
                code: .missingLibcurl,
                message: "libcurl cannot be loaded: \(String(cString: reason)). Install it; on Debian, the package is "
                    + "libcurl4.")
        }
        return CurlClient(surroundings)
    }
}

/// The client of a thread that runs all requests.
///
/// The thread begins with the first request and sleeps while no request is running.
final class CurlClient: TransportClient {
    /// A message to the thread.
    enum Message: Sendable {
        case send(Exchange, allowsLocalAddresses: Bool)
        case cancel(Exchange)
        /// The consumer has room for more bytes.
        case resume
        case probe(@Sendable () -> Void)
        case end(@Sendable () -> Void)
    }
    private struct Inbox: Sendable {
        var messages: [Message] = []
        /// The address of the thread's multi handle, or `nil` if there is no thread.
        var multi: UInt?
        /// A Boolean value that indicates whether the client was invalidated.
        var isClosed = false
    }
    let surroundings: TransportSurroundings
    let wire = WireCounter()
    private let inbox = Mutex(Inbox())
    /// The number of received bytes that the consumer has not handled yet.
    let backlog = Atomic(0)
    /// A Boolean value that indicates whether requests wait for the consumer.
    let isHeld = Atomic(false)
    /// The backlog at which requests stop to receive. Bounds the memory of all requests together.
    static let largestBacklog = 4 << 20

    let controlsConnections = true

    init(_ surroundings: TransportSurroundings) { self.surroundings = surroundings }

    func send(_ exchange: Exchange) {
        guard let check = exchange.request.check else { return post(.send(exchange, allowsLocalAddresses: true)) }
        // The resolver blocks. A request that is canceled meanwhile is not sent.
        DispatchQueue.global().async {
            self.post(.send(exchange, allowsLocalAddresses: check.startsLocally()))
        }
    }

    func cancel(_ exchange: Exchange) { post(.cancel(exchange)) }

    func probe(_ reply: @escaping @Sendable () -> Void) {
        if inbox.withLock({ $0.multi == nil }) { return reply() }
        post(.probe(reply))
    }

    func invalidate() async {
        let hasThread = inbox.withLock { inbox in
            if inbox.multi == nil { inbox.isClosed = true }
            return inbox.multi != nil
        }
        guard hasThread else { return }
        await withCheckedContinuation { continuation in post(.end { continuation.resume() }) }
    }

    func countWire(_ isOn: Bool, withLoopback: Bool) { wire.count(isOn, withLoopback: withLoopback) }

    var wireBytes: WireBytes { wire.bytes }

    /// Records that the consumer has handled received bytes.
    func handled(_ bytes: Int) {
        let (_, left) = backlog.subtract(bytes, ordering: .relaxed)
        if left < Self.largestBacklog / 2, isHeld.exchange(false, ordering: .relaxed) { post(.resume) }
    }

    // MARK: The thread

    private func post(_ message: Message) {
        let isOpen = inbox.withLock { inbox in
            guard !inbox.isClosed else { return false }
            inbox.messages.append(message)
            guard inbox.messages.count == 1 else { return true }
            if let multi = inbox.multi {
                transfer_curl_multi_wakeup(UnsafeMutableRawPointer(bitPattern: multi))
            } else {
                guard let multi = transfer_curl_multi_init() else { preconditionFailure("no memory for libcurl") }
                let address = UInt(bitPattern: multi)
                inbox.multi = address
                let thread = Thread { CurlLoop(self, multi: address).run() }
                thread.name = "transfer-curl"
                thread.start()
            }
            return true
        }
        if !isOpen { refuse(message) }
    }

    /// Answers a message that came too late.
    private func refuse(_ message: Message) {
        switch message {
        case .send(let exchange, _), .cancel(let exchange): surroundings.consumer.run { exchange.end(.cancelled) }
        case .probe(let reply), .end(let reply): surroundings.consumer.run(reply)
        case .resume: break
        }
    }

    /// Takes the messages that have arrived.
    func messages() -> [Message] {
        inbox.withLock { inbox in
            defer { inbox.messages = [] }
            return inbox.messages
        }
    }

    /// Frees the multi handle, and answers the messages that nobody reads any more. The thread ends.
    func close(_ multi: UnsafeMutableRawPointer) {
        let left = inbox.withLock { inbox in
            transfer_curl_multi_cleanup(multi)
            (inbox.multi, inbox.isClosed) = (nil, true)
            defer { inbox.messages = [] }
            return inbox.messages
        }
        for message in left { refuse(message) }
    }
}

/// Counts the bytes of connections on the wire, as reported by the kernel.
///
/// The counters of an interface include bytes that wait in the kernel's buffers. The number of bytes that a program has
/// read does not include them.
final class WireCounter: Sendable {
    private struct Connection: Sendable {
        var port: UInt16
        var received: UInt64 = 0
        var sent: UInt64 = 0
    }
    private struct State: Sendable {
        var isOn = false
        var withLoopback = false
        var total = WireBytes()
        /// The counted connections by descriptor. The port tells a new connection from an old one.
        var connections: [Int32: Connection] = [:]
    }
    private let state = Mutex(State())

    func count(_ isOn: Bool, withLoopback: Bool) {
        state.withLock { ($0.isOn, $0.withLoopback) = (isOn, withLoopback) }
    }

    /// Adds the new bytes of a connection, and counts it from now on.
    func count(_ descriptor: Int32) {
        state.withLock { state in
            if state.isOn, descriptor >= 0 { Self.count(descriptor, &state) }
        }
    }

    /// The bytes of all counted connections. Costs two system calls for each.
    var bytes: WireBytes {
        state.withLock { state in
            for descriptor in state.connections.keys { Self.count(descriptor, &state) }
            return state.total
        }
    }

    private static func count(_ descriptor: Int32, _ state: inout State) {
        let now = transfer_wire_bytes_of(descriptor, state.withLoopback ? 1 : 0)
        guard now.port != 0 else {
            // Closed, or another file by now.
            state.connections[descriptor] = nil
            return
        }
        var known = state.connections[descriptor] ?? Connection(port: now.port)
        if known.port != now.port { known = Connection(port: now.port) }
        if now.in > known.received { state.total.received += Int64(clamping: now.in - known.received) }
        if now.out > known.sent { state.total.sent += Int64(clamping: now.out - known.sent) }
        (known.received, known.sent) = (now.in, now.out)
        state.connections[descriptor] = known
    }
}
