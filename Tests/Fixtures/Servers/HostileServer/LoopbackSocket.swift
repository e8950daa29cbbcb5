// SPDX-License-Identifier: Apache-2.0
import CHostileServer
import Glibc

/// A TCP socket on loopback, which any thread may use.
///
/// The descriptor stays open as long as the socket is referenced, so that no thread uses another file's descriptor.
/// Except for `accept` and `connected`, calls wait in `poll`, and `reset` ends their wait.
final class LoopbackSocket: ByteStream {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Returns a socket that listens on a free port of an address, or `nil` if the machine does not have the address.
    static func listening(on host: String, backlog: Int32) -> LoopbackSocket? {
        open(host, 0) { bind($0, $1, $2) == 0 && listen($0, backlog) == 0 }
    }

    /// Returns a socket that is connected to a port, or `nil` if the connection fails or exceeds the time limit.
    ///
    /// - Parameter milliseconds: The time limit. 0 means the kernel's own limit of minutes.
    static func connected(
        to port: UInt16, on host: String = "127.0.0.1", milliseconds: Int = 0
    ) -> LoopbackSocket? {
        open(host, port) { descriptor, address, length in
            // The limit for sending also applies to the connection attempt.
            var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            return connect(descriptor, address, length) == 0
        }
    }

    private static func open(
        _ host: String, _ port: UInt16, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> LoopbackSocket? {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var addresses: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &addresses) == 0, let address = addresses?.pointee else {
            return nil
        }
        defer { freeaddrinfo(addresses) }
        let kind = address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue)
        let socket = LoopbackSocket(Glibc.socket(address.ai_family, kind, 0))
        return call(socket.descriptor, address.ai_addr, address.ai_addrlen) ? socket : nil
    }

    /// The socket's own port.
    var port: UInt16 { port(getsockname) }

    /// The port of the other end.
    var peerPort: UInt16 { port(getpeername) }

    private func port(
        _ name: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
    ) -> UInt16 {
        // The port has the same place in both kinds of addresses.
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutableBytes(of: &address) { bytes in
            _ = name(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        return UInt16(bigEndian: address.sin6_port)
    }

    /// Waits for a connection. Returns `nil` if the socket no longer listens or the process has too many open files.
    func accept() -> LoopbackSocket? {
        let accepted = accept4(descriptor, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
        guard accepted >= 0 else { return nil }
        var isOn: Int32 = 1
        setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        return LoopbackSocket(accepted)
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if !waitAfterError(for: POLLOUT) {
                return false
            }
        }
        return true
    }

    func receive() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 65536) { buffer, initializedCount in
            var count = 0
            repeat {
                count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            } while count < 0 && waitAfterError(for: POLLIN)
            initializedCount = max(0, count)
        }
    }

    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends both directions in order. A listening socket ends its `accept`, and the kernel resets waiting connections.
    func finish() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Aborts the connection (RST), and ends the wait of other threads.
    ///
    /// Disconnecting is what the kernel does when a lingering time of zero is set and the descriptor is closed. Here, the
    /// descriptor stays open for other threads.
    func reset() {
        var nowhere = sockaddr()
        nowhere.sa_family = sa_family_t(AF_UNSPEC)
        connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Waits until a failed call can be repeated. Returns `false` if the call failed for good.
    private func waitAfterError(for events: Int32) -> Bool {
        guard errno == EAGAIN || errno == EINTR else { return false }
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        poll(&entry, 1, -1)
        return true
    }
}
