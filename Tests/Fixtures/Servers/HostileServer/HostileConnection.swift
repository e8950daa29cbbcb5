// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// A connection of the hostile server. Use each connection only on its own thread, except for sending.
///
/// All calls block. `send` returns after the kernel has accepted the bytes.
public final class HostileConnection {
    private let socket: LoopbackSocket
    private let stream: any ByteStream
    private let hasEnded = Atomic(false)
    /// The received bytes that have not been consumed yet.
    var pending: [UInt8] = []
    /// A Boolean value that indicates whether no further request is read.
    public private(set) var isEnded: Bool {
        get { hasEnded.load(ordering: .relaxed) }
        set { hasEnded.store(newValue, ordering: .relaxed) }
    }

    /// The port of the client.
    public var clientPort: UInt16 { socket.peerPort }

    init(_ socket: LoopbackSocket, _ stream: any ByteStream) {
        self.socket = socket
        self.stream = stream
    }

    /// Sends bytes. Returns `false` if the client has disconnected.
    @discardableResult
    public func send(_ bytes: some Sequence<UInt8>) -> Bool {
        if stream.send(bytes) { return true }
        isEnded = true
        return false
    }

    /// Sends text unchanged. Line endings are not converted, so write `\r\n`.
    @discardableResult
    public func send(_ text: String) -> Bool { send(text.utf8) }

    /// Sends a response head and a body. `Content-Length` is added unless `fields` already states the framing.
    @discardableResult
    public func respond(_ status: String, _ fields: [String] = [], body: some Sequence<UInt8> = [UInt8]()) -> Bool {
        let body = Array(body)
        let hasLength = fields.contains {
            $0.lowercased().hasPrefix("content-length:") || $0.lowercased().hasPrefix("transfer-encoding:")
        }
        let length = hasLength ? [] : ["Content-Length: \(body.count)"]
        let head = (["HTTP/1.1 \(status)"] + fields + length).joined(separator: "\r\n") + "\r\n\r\n"
        return send(head) && send(body)
    }

    /// Sends one chunk of a chunked body.
    @discardableResult
    public func sendChunk(_ bytes: some Sequence<UInt8>) -> Bool {
        let data = Array(bytes)
        return send(String(data.count, radix: 16) + "\r\n") && send(data) && send("\r\n")
    }

    /// Ends the connection in order, and waits for the client to disconnect.
    ///
    /// Sends FIN. Under TLS, a close_notify alert precedes the FIN.
    public func finish() {
        finishSending()
        waitForClient()
    }

    /// Ends the sending direction in order (FIN). Requests and bodies can still be read.
    public func finishSending() { stream.finishSending() }

    /// Ends the connection as a broken line would, and waits for the client to disconnect.
    ///
    /// Sends FIN. Under TLS, no close_notify alert precedes the FIN.
    public func cut() {
        socket.finishSending()
        waitForClient()
    }

    /// Aborts the connection (RST).
    public func reset() {
        isEnded = true
        socket.reset()
    }

    /// Sends nothing until the client disconnects or the server stops. Received bytes are discarded.
    public func waitForClient() {
        isEnded = true
        while receive() { pending = [] }
    }

    /// Pauses the connection's thread, for example between two bytes.
    public func pause(milliseconds: UInt32) { usleep(milliseconds * 1000) }

    func readRequest(number: Int) -> HostileRequest? {
        var searched = 0
        while true {
            if let end = headEnd(from: searched) {
                let head = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeFirst(end + 4)
                return HostileRequest(head: head, connection: number)
            }
            searched = max(0, pending.count - 3)
            guard receive() else { return nil }
        }
    }

    /// Waits for more bytes and appends them to `pending`. Returns `false` at the end of the connection.
    func receive() -> Bool {
        let bytes = stream.receive()
        pending += bytes
        return !bytes.isEmpty
    }

    private func headEnd(from start: Int) -> Int? {
        guard pending.count >= start + 4 else { return nil }
        return (start...(pending.count - 4)).first { pending[$0..<($0 + 4)].elementsEqual([13, 10, 13, 10]) }
    }
}
