// SPDX-License-Identifier: Apache-2.0
import CCurl
import Foundation
import Glibc
import HTTPExecutor
import HTTPSyntax
import LinuxKernel
import TransferFiles
import TransferModel

/// A running request: its handle, and what libcurl's callbacks received.
final class CurlRequest {
    let exchange: Exchange
    let handle: UnsafeMutableRawPointer
    private unowned let loop: CurlLoop
    private let allowsLocalAddresses: Bool
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var head = HeadReader()
    /// The received bytes that are not reported yet.
    private(set) var body = Data()
    /// The number of bytes of a redirect's body, which are dropped so that its connection can be used again.
    private var dropped = 0
    private var pass = 0
    private var wasRefused = false
    /// The descriptor of the connection, or -1.
    private(set) var socket: Int32 = -1
    /// The time until which the request is held.
    var heldUntil: UInt64 = 0
    /// A Boolean value that indicates whether the request is held until the consumer has room.
    var waitsForConsumer = false

    /// The shortest pause in nanoseconds. Shorter debts accumulate.
    private static let shortestPause: UInt64 = 10_000_000
    /// The largest body of a redirect that is worth a connection.
    private static let longestRedirect = 64 << 10
    /// The size of the buffer for received bytes, and the smallest for slow transfers.
    private static let bufferSize: Int64 = 256 << 10, leastBufferSize: Int64 = 1024
    /// The size of the buffer for sent bytes. A dead kept connection loses two at most.
    private static let uploadBufferSize: Int64 = 128 << 10

    init(_ exchange: Exchange, handle: UnsafeMutableRawPointer, loop: CurlLoop, allowsLocalAddresses: Bool) {
        self.exchange = exchange
        self.handle = handle
        self.loop = loop
        self.allowsLocalAddresses = allowsLocalAddresses
        errorText[0] = 0
    }

    /// Frees what libcurl no longer uses.
    func free() {
        transfer_curl_free(fields)
        fields = nil
        errorText.deallocate()
    }

    func takeBody() -> Data {
        defer { body = Data() }
        return body
    }

    // MARK: Options

    func configure(_ configuration: HTTPExecutorConfiguration) {
        let head = exchange.request.head
        set(CURLOPT_URL, head.url)
        transfer_curl_set_pointer(handle, CURLOPT_PRIVATE, Unmanaged.passUnretained(self).toOpaque())
        transfer_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_NOSIGNAL, 1)
        // Otherwise the end of a request waits for the resolver.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_CONNECTTIMEOUT, Int64(exchange.request.timeoutSeconds))
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        if URLReference(head.url).scheme == "https" {
            // Many small files of a host share an HTTP/2 connection instead of opening one each.
            set(CURLOPT_PIPEWAIT, 1)
        } else {
            // Otherwise libcurl waits for the end of the first response before it opens another connection.
            set(CURLOPT_HTTP_VERSION, Int64(CURL_HTTP_VERSION_1_1))
        }
        var bufferSize = Self.bufferSize
        if let rate = exchange.rateLimiter?.rate {
            // A limited request needs its own connection. Unread bytes of a single HTTP/2 stream would block the whole
            // connection. Its blocks take a tenth of a second, so that a slow transfer is not bursty.
            set(CURLOPT_HTTP_VERSION, Int64(CURL_HTTP_VERSION_1_1))
            // libcurl would give its connection to others where the host also has HTTP/2, but not with other options of TLS.
            // OpenSSL 3 allows no earlier version anyway.
            set(CURLOPT_SSLVERSION, Int64(CURL_SSLVERSION_TLSv1_2))
            bufferSize = min(bufferSize, max(Self.leastBufferSize, rate / 10))
        }
        set(CURLOPT_BUFFERSIZE, bufferSize)
        if let file = configuration.caFile {
            set(CURLOPT_CAINFO, file)
            // Otherwise the system's authorities remain trusted, too.
            transfer_curl_set_pointer(handle, CURLOPT_CAPATH, nil)
        }
        if let proxy = configuration.proxy { set(CURLOPT_PROXY, proxy) }
        if exchange.rateLimiter?.acceptsAnyCertificate == true {
            set(CURLOPT_SSL_VERIFYPEER, 0)
            set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        setBody(of: head)
        setFields(of: head)
        setCallbacks()
    }

    private func setBody(of head: RequestHead) {
        switch head.method {
        case "GET": break
        case "HEAD": set(CURLOPT_NOBODY, 1)
        default: set(CURLOPT_CUSTOMREQUEST, head.method)
        }
        if let content = head.content {
            set(CURLOPT_POSTFIELDSIZE_LARGE, Int64(content.count))
            // Without an address, libcurl would ask for the body. It reads no byte of an empty one.
            _ = (content + [0]).withUnsafeBytes {
                transfer_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
            }
        } else if exchange.body != nil {
            set(CURLOPT_UPLOAD, 1)
            set(CURLOPT_INFILESIZE_LARGE, Int64(head.value("Content-Length") ?? "") ?? 0)
            set(CURLOPT_UPLOAD_BUFFERSIZE, Self.uploadBufferSize)
        }
    }

    private func setFields(of head: RequestHead) {
        var lines: [String] = []
        let hasBody = exchange.body != nil || head.content != nil
        for field in head.fields where !(hasBody && field.name.lowercased() == "content-length") {
            lines.append(field.value.isEmpty ? field.name + ";" : "\(field.name): \(field.value)")
        }
        // libcurl would wait a second for the server's consent.
        if hasBody { lines.append("Expect:") }
        // libcurl would declare any content a form.
        if head.content != nil, head.method != "POST", head.value("Content-Type") == nil {
            lines.append("Content-Type:")
        }
        for line in lines { fields = transfer_curl_append(fields, line) }
        transfer_curl_set_pointer(handle, CURLOPT_HTTPHEADER, fields)
    }

    private func setCallbacks() {
        let user = Unmanaged.passUnretained(self).toOpaque()
        for option in [
            CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_PREREQDATA,
            CURLOPT_SOCKOPTDATA,
        ] { transfer_curl_set_pointer(handle, option, user) }
        transfer_curl_set_bytes(handle, CURLOPT_HEADERFUNCTION) { line, size, count, user in
            CurlRequest.of(user).receivedLine(line, size * count)
        }
        transfer_curl_set_bytes(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, user in
            CurlRequest.of(user).received(bytes, size * count)
        }
        transfer_curl_set_bytes(handle, CURLOPT_READFUNCTION) { bytes, size, count, user in
            CurlRequest.of(user).read(bytes, size * count)
        }
        transfer_curl_set_seek(handle) { user, offset, origin in
            CurlRequest.of(user).seek(offset, origin)
        }
        transfer_curl_set_prerequest(handle) { user, address, _, _, port in
            CurlRequest.of(user).connected(to: address, from: port)
        }
        transfer_curl_set_opened(handle) { user, socket, _ in
            CurlRequest.of(user).loop.opened(socket)
            return CURL_SOCKOPT_OK
        }
    }

    private static func of(_ user: UnsafeMutableRawPointer?) -> CurlRequest {
        guard let user else { preconditionFailure("a callback without a request") }
        return Unmanaged<CurlRequest>.fromOpaque(user).takeUnretainedValue()
    }

    private func set(_ option: CURLoption, _ value: Int64) { transfer_curl_set_number(handle, option, value) }

    private func set(_ option: CURLoption, _ value: String) {
        _ = value.withCString { transfer_curl_set_pointer(handle, option, $0) }
    }

    // MARK: Callbacks

    /// Called when the request has its connection.
    private func connected(to address: UnsafeMutablePointer<CChar>?, from port: Int32) -> Int32 {
        if !allowsLocalAddresses, let address, LocalHost.contains(String(cString: address)) {
            wasRefused = true
            return CURL_PREREQFUNC_ABORT
        }
        // Called again before a request is repeated because its kept connection was dead.
        if let body = exchange.body { pass = body.begin() }
        socket = loop.socket(ofPort: Int32(UInt16(truncatingIfNeeded: port).bigEndian))
        // A connection is used again for other requests.
        transfer_mark_background(socket, exchange.rateLimiter?.isBackground == true ? 1 : 0)
        loop.count(self)
        return CURL_PREREQFUNC_OK
    }

    private func receivedLine(_ line: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard let line else { return 0 }
        let bytes = UnsafeRawBufferPointer(start: line, count: count)
        switch head.read(bytes) {
        case .more: return count
        case .tooLarge: return 0
        case .complete(let complete):
            loop.report(complete, of: self)
            return count
        }
    }

    private func received(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard let bytes, !exchange.isCancelled else { return 0 }
        if head.isRedirect {
            dropped += count
            return dropped <= Self.longestRedirect ? count : 0
        }
        let now = MonotonicTime.now()
        if let wait = exchange.rateLimiter?.wait(isSending: false, now: now), wait >= Self.shortestPause {
            return pause(wait, now: now)
        }
        if !loop.hasRoom {
            waitsForConsumer = true
            loop.hold(self, nanoseconds: .max)
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        body.append(UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self), count: count)
        exchange.rateLimiter?.transferred(count, isSending: false)
        loop.received(count)
        return count
    }

    private func read(_ buffer: UnsafeMutablePointer<CChar>?, _ room: Int) -> Int {
        guard let buffer, let body = exchange.body, !exchange.isCancelled else { return Int(CURL_READFUNC_ABORT) }
        var room = room
        if let limiter = exchange.rateLimiter, let rate = limiter.rate {
            let now = MonotonicTime.now()
            let wait = limiter.wait(isSending: true, now: now)
            if wait >= Self.shortestPause { return pause(wait, now: now) }
            room = min(room, Int(clamping: max(Self.leastBufferSize, rate / 10)))
        }
        let count = buffer.withMemoryRebound(to: UInt8.self, capacity: room) { body.read($0, room, pass) }
        guard count >= 0 else { return Int(CURL_READFUNC_ABORT) }
        exchange.rateLimiter?.transferred(count, isSending: true)
        return count
    }

    /// Begins the body again: a kept connection was dead, or the server wants other credentials.
    private func seek(_ offset: curl_off_t, _ origin: Int32) -> Int32 {
        guard offset == 0, origin == SEEK_SET, let body = exchange.body else { return CURL_SEEKFUNC_FAIL }
        pass = body.begin()
        return CURL_SEEKFUNC_OK
    }

    private func pause(_ wait: UInt64, now: UInt64) -> Int {
        exchange.rateLimiter?.delay(until: now)
        loop.hold(self, nanoseconds: wait)
        return Int(CURL_WRITEFUNC_PAUSE)
    }

    // MARK: The end

    /// Returns the error of an ended request. `nil` if its response is complete.
    func error(_ code: CURLcode) -> TransportError? {
        if wasRefused { return TransportError(code: AddressCheck.errorCode, text: "") }
        if exchange.isCancelled { return .cancelled }
        if code == CURLE_OK {
            // libcurl reports no error if a connection is closed in order within a head.
            return head.isComplete ? nil : TransportError(code: -1011, text: "Empty reply from server")
        }
        let text = errorText[0] == 0 ? String(cString: transfer_curl_text(code)) : String(cString: errorText)
        let number =
            switch code {
            case CURLE_UNSUPPORTED_PROTOCOL: -1002
            case CURLE_URL_MALFORMAT: -1000
            case CURLE_COULDNT_RESOLVE_HOST: -1003
            case CURLE_COULDNT_CONNECT where transfer_curl_cause(handle) == Int(ECONNREFUSED): -1004
            case CURLE_OPERATION_TIMEDOUT: -1001
            // The number of an earlier request would still be there.
            case CURLE_RECV_ERROR where text.contains("reset by peer"),
                CURLE_SEND_ERROR where text.contains("reset by peer"):
                -1005
            case CURLE_GOT_NOTHING: -1011
            default: -1
            }
        return TransportError(code: number, text: head.isTooLarge ? "Too large response headers" : text)
    }
}
