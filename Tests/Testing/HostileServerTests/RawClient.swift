// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A client on loopback that sends and receives bytes, and knows no HTTP.
final class RawClient {
    private let descriptor: Int32

    /// Connects; nil where that fails at once or does not come about in time.
    init?(port: UInt16, milliseconds: Int = 5000) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        // Connecting is bounded by the time to send.
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafeBytes(of: &address) { bytes in
            guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
        if !isConnected { return nil }
    }

    deinit { close(descriptor) }

    /// Sends the text; false when the server is gone.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Lets the server get on.
    func pause() { usleep(10_000) }

    /// Says that nothing more will be sent.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// What comes next, up to `count` bytes: all of them, fewer where the server ended.
    func receive(_ count: Int) -> String { receiveBytes(count).text }

    /// Everything up to the server's end, and how that was.
    func receiveAll() -> (text: String, end: End) { receiveBytes(.max) }

    /// How a connection ended.
    enum End: Equatable {
        case inOrder, reset, silent, stillOpen
    }

    private func receiveBytes(_ count: Int) -> (text: String, end: End) {
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while result.count < count {
            let got = recv(descriptor, &buffer, min(buffer.count, count - result.count), 0)
            if got < 0 {
                let end: End = errno == ECONNRESET ? .reset : .silent
                return (String(decoding: result, as: UTF8.self), end)
            }
            if got == 0 { return (String(decoding: result, as: UTF8.self), .inOrder) }
            result += buffer[..<got]
        }
        return (String(decoding: result, as: UTF8.self), .stillOpen)
    }
}
