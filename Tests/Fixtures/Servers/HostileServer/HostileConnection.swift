// SPDX-License-Identifier: Apache-2.0
import Glibc
import NIOCore

/// One connection, used on its own thread only.
///
/// Every call waits until it is done: `send` until the kernel has the bytes.
public final class HostileConnection {
    private let channel: any Channel
    private let inbox: Inbox
    /// What came and was not read yet.
    var pending: [UInt8] = []
    /// Whether there will be no further request.
    public private(set) var isOver = false

    init(channel: any Channel, inbox: Inbox) {
        self.channel = channel
        self.inbox = inbox
    }

    /// Sends the bytes; false when the client is gone.
    @discardableResult
    public func send(_ bytes: some Sequence<UInt8>) -> Bool {
        do {
            try channel.writeAndFlush(ByteBuffer(bytes: bytes)).wait()
            return true
        } catch {
            isOver = true
            return false
        }
    }

    /// Sends the text; `\n` is sent as it is, so write `\r\n`.
    @discardableResult
    public func send(_ text: String) -> Bool { send(text.utf8) }

    /// A head with those lines, and a body.
    @discardableResult
    public func answer(_ status: String, _ fields: [String] = [], body: some Sequence<UInt8> = [UInt8]()) -> Bool {
        let body = Array(body)
        let hasLength = fields.contains {
            $0.lowercased().hasPrefix("content-length:") || $0.lowercased().hasPrefix("transfer-encoding:")
        }
        let length = hasLength ? [] : ["Content-Length: \(body.count)"]
        let head = (["HTTP/1.1 \(status)"] + fields + length).joined(separator: "\r\n") + "\r\n\r\n"
        return send(head) && send(body)
    }

    /// One chunk of a chunked body.
    @discardableResult
    public func sendChunk(_ bytes: some Sequence<UInt8>) -> Bool {
        let data = Array(bytes)
        return send(String(data.count, radix: 16) + "\r\n") && send(data) && send("\r\n")
    }

    /// Ends the connection in order (FIN, under TLS with its goodbye), once the client has gone, too.
    public func finish() {
        finishSending()
        waitForClient()
    }

    /// Ends one direction in order (FIN): nothing can be sent any more, but requests and bodies are still read.
    public func finishSending() { try? channel.close(mode: .output).wait() }

    /// Ends the connection as a cut line would (FIN, under TLS without its goodbye), once the client has gone, too.
    public func cut() {
        try? channel.triggerUserOutboundEvent(WireEnd.cut).wait()
        waitForClient()
    }

    /// Breaks the connection (RST).
    public func reset() {
        isOver = true
        try? channel.triggerUserOutboundEvent(WireEnd.reset).wait()
    }

    /// Says nothing until the client goes away or the server is stopped.
    public func waitForClient() {
        isOver = true
        while receive() { pending = [] }
    }

    /// Pauses between two bytes.
    public func pause(milliseconds: UInt32) { usleep(milliseconds * 1000) }

    func close() { channel.close(promise: nil) }

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

    /// Waits for more bytes and adds them to `pending`; false when there will be none.
    func receive() -> Bool {
        let (bytes, wasHeld) = inbox.take()
        if wasHeld { channel.read() }
        pending += bytes
        return !bytes.isEmpty
    }

    private func headEnd(from start: Int) -> Int? {
        guard pending.count >= start + 4 else { return nil }
        return (start...(pending.count - 4)).first { pending[$0..<($0 + 4)].elementsEqual([13, 10, 13, 10]) }
    }
}
