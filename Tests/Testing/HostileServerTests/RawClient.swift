// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A loopback client that sends and receives bytes and has no knowledge of HTTP.
final class RawClient {
    private let descriptor: Int32

    /// Connects to the port. Returns `nil` if the connection fails or is not established in time.
    init?(port: UInt16, milliseconds: Int = 5000) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        // The send timeout also limits the connection attempt.
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

    /// Sends the text. Returns `false` if the server is gone.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Gives the server 10 ms to proceed.
    func pause() { usleep(10_000) }

    /// Closes the sending direction.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Receives up to `count` bytes. Returns fewer bytes only if the server ends the connection or the receive
    /// timeout expires.
    func receive(_ count: Int) -> String { receiveBytes(count).text }

    /// Receives all bytes until the end of the connection, and returns the kind of end.
    func receiveAll() -> (text: String, end: End) { receiveBytes(.max) }

    /// The end of a connection.
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
