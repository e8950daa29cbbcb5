// SPDX-License-Identifier: Apache-2.0
import CCurl
import Foundation
import Glibc
import HTTPExecutor
import LinuxKernel
import Synchronization

/// The thread that runs all requests. Everything here happens on that thread.
final class CurlLoop {
    private let client: CurlClient
    private let multi: UnsafeMutableRawPointer
    private var requests: [ObjectIdentifier: CurlRequest] = [:]
    /// The requests whose time has not come.
    private var later: [(exchange: Exchange, allowsLocalAddresses: Bool)] = []
    /// The requests that wait for their rate or for the consumer.
    private var held: [ObjectIdentifier: CurlRequest] = [:]
    /// The descriptors of connections, and those with a known local port by that port.
    private var sockets: Set<Int32> = []
    private var socketsByPort: [Int32: Int32] = [:]
    /// Handles of ended requests, for the next ones.
    private var handles: [UnsafeMutableRawPointer] = []
    /// The events that are not reported yet, and the number of received bytes that are not.
    private var events: [Event] = []
    private var eventBytes = 0

    private enum Event: Sendable {
        case head(Exchange, ResponseHead)
        case bytes(Exchange, Data)
        case end(Exchange, TransportError?)
    }

    /// The largest number of bytes that are reported together.
    private static let blockSize = 512 << 10
    /// The longest time between two checks of a held request, whose rate may have changed.
    private static let longestPause: UInt64 = 100_000_000

    init(_ client: CurlClient, multi: UInt) {
        self.client = client
        guard let multi = UnsafeMutableRawPointer(bitPattern: multi) else { preconditionFailure("no multi handle") }
        self.multi = multi
    }

    func run() {
        // OpenSSL writes to closed connections, and the signal would end a program that does not expect it.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        while true {
            var isEnding: [@Sendable () -> Void] = []
            for message in client.messages() {
                switch message {
                case .send(let exchange, let allowsLocal): later.append((exchange, allowsLocal))
                case .cancel(let exchange): cancel(exchange)
                case .resume: for request in held.values where request.waitsForConsumer { request.heldUntil = 0 }
                case .probe(let reply): client.surroundings.consumer.run(reply)
                case .end(let reply): isEnding.append(reply)
                }
            }
            if !isEnding.isEmpty {
                close()
                for reply in isEnding { reply() }
                return
            }
            beginDue()
            resumeDue()
            var running: Int32 = 0
            transfer_curl_multi_perform(multi, &running)
            takeEnded()
            flush()
            transfer_curl_multi_poll(multi, milliseconds)
        }
    }

    /// The time until something must be done that no socket announces.
    private var milliseconds: Int32 {
        let now = MonotonicTime.now()
        let times = later.map(\.exchange.request.notBefore) + held.values.map(\.heldUntil)
        guard let time = times.min() else { return 3_600_000 }
        return time > now ? Int32(clamping: (time - now) / 1_000_000 + 1) : 0
    }

    private func beginDue() {
        guard !later.isEmpty else { return }
        let now = MonotonicTime.now()
        let due = later.filter { $0.exchange.request.notBefore <= now }
        later.removeAll { $0.exchange.request.notBefore <= now }
        for (exchange, allowsLocal) in due where !exchange.isEnded {
            guard !exchange.isCancelled else { report(.end(exchange, .cancelled)); continue }
            guard let handle = handles.popLast() ?? transfer_curl_easy_init() else {
                report(.end(exchange, TransportError(code: -1, text: "Out of memory")))
                continue
            }
            let request = CurlRequest(exchange, handle: handle, loop: self, allowsLocalAddresses: allowsLocal)
            requests[ObjectIdentifier(exchange)] = request
            request.configure(client.surroundings.configuration)
            if transfer_curl_multi_add(multi, handle) != CURLM_OK {
                remove(request)
                report(.end(exchange, TransportError(code: -1, text: "Out of memory")))
            }
        }
    }

    private func cancel(_ exchange: Exchange) {
        later.removeAll { $0.exchange === exchange }
        if let request = requests[ObjectIdentifier(exchange)] { remove(request) }
        report(.end(exchange, .cancelled))
    }

    private func takeEnded() {
        var result = CURLE_OK
        var user: UnsafeMutableRawPointer?
        while transfer_curl_multi_ended(multi, &result, &user) != nil {
            guard let user else { continue }
            let request = Unmanaged<CurlRequest>.fromOpaque(user).takeUnretainedValue()
            let error = request.error(result)
            reportBody(of: request)
            remove(request)
            report(.end(request.exchange, error))
        }
    }

    private func remove(_ request: CurlRequest) {
        count(request)
        transfer_curl_multi_remove(multi, request.handle)
        transfer_curl_easy_reset(request.handle)
        request.free()
        held[ObjectIdentifier(request.exchange)] = nil
        requests[ObjectIdentifier(request.exchange)] = nil
        if handles.count < 16 { handles.append(request.handle) } else { transfer_curl_easy_cleanup(request.handle) }
    }

    private func close() {
        for exchange in later.map(\.exchange) + requests.values.map(\.exchange) { report(.end(exchange, .cancelled)) }
        for request in requests.values { remove(request) }
        flush()
        for handle in handles { transfer_curl_easy_cleanup(handle) }
        client.close(multi)
    }

    /// Counts the bytes on the wire of the request's connection.
    func count(_ request: CurlRequest) { client.wire.count(request.socket) }

    /// Remembers the descriptor of a new connection. While a request runs, libcurl tells only the port of its connection.
    func opened(_ descriptor: Int32) { sockets.insert(descriptor) }

    /// Returns the descriptor of the connection with a local port in network byte order, or -1 if there is none.
    func socket(ofPort port: Int32) -> Int32 {
        if let known = socketsByPort[port], transfer_local_port(known) == port { return known }
        socketsByPort = [:]
        for descriptor in sockets {
            let port = transfer_local_port(descriptor)
            if port < 0 { sockets.remove(descriptor) } else { socketsByPort[port] = descriptor }
        }
        return socketsByPort[port] ?? -1
    }

    // MARK: Rates and back-pressure

    /// Returns whether the consumer has room for more bytes.
    var hasRoom: Bool {
        guard client.backlog.load(ordering: .relaxed) + eventBytes > CurlClient.largestBacklog else { return true }
        client.isHeld.store(true, ordering: .relaxed)
        // The consumer may have made room before it could see the mark.
        return client.backlog.load(ordering: .relaxed) + eventBytes <= CurlClient.largestBacklog
    }

    /// Holds the request for a number of nanoseconds, or until the consumer has room.
    func hold(_ request: CurlRequest, nanoseconds: UInt64) {
        request.heldUntil = MonotonicTime.now() + min(nanoseconds, Self.longestPause)
        held[ObjectIdentifier(request.exchange)] = request
    }

    /// Continues the requests whose time has come. A request whose rate is still exceeded is held again.
    private func resumeDue() {
        guard !held.isEmpty else { return }
        let now = MonotonicTime.now()
        for request in held.values where request.heldUntil <= now {
            held[ObjectIdentifier(request.exchange)] = nil
            request.waitsForConsumer = false
            transfer_curl_easy_pause(request.handle, CURLPAUSE_CONT)
        }
    }

    // MARK: Reports

    func report(_ head: ResponseHead, of request: CurlRequest) { report(.head(request.exchange, head)) }

    /// Counts bytes that a request received, and reports all bytes once they fill a block.
    func received(_ bytes: Int) {
        eventBytes += bytes
        if eventBytes >= Self.blockSize { flush() }
    }

    private func reportBody(of request: CurlRequest) {
        if !request.body.isEmpty { events.append(.bytes(request.exchange, request.takeBody())) }
    }

    private func report(_ event: Event) { events.append(event) }

    private func flush() {
        if eventBytes > 0 { for request in requests.values { reportBody(of: request) } }
        guard !events.isEmpty else { return }
        let (events, bytes, client) = (events, eventBytes, client)
        self.events = []
        eventBytes = 0
        client.backlog.add(bytes, ordering: .relaxed)
        client.surroundings.consumer.run {
            for event in events {
                switch event {
                case .head(let exchange, let head): exchange.received(head)
                case .bytes(let exchange, let bytes): exchange.received(bytes)
                case .end(let exchange, let error): exchange.end(error)
                }
            }
            client.handled(bytes)
        }
    }
}
