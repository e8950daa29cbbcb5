// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A readable description of a raw connection's failure.
package struct RawBusError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// A message bus connection on a plain socket, for use on one thread.
///
/// The connection sends messages that GDBus would refuse, does not have to read, and can break off in
/// the middle of a message.
package final class RawBusConnection {
    /// The unique name that the bus assigned.
    package private(set) var name = ""
    private var socket: Int32
    private var serial: UInt32 = 0
    private var unread: [UInt8] = []
    private var readPosition = 0
    /// Messages that arrived while `reply(to:)` waited for another message.
    private var waiting: [WireMessage] = []

    /// Connects to an address of the form `unix:path=…`, authenticates, and calls `Hello`.
    ///
    /// - Throws: `RawBusError` if the address is invalid or the bus cannot be reached.
    package init(address: String) throws {
        signal(SIGPIPE, SIG_IGN)
        let fields = address.split(separator: ":", maxSplits: 1).last?.split(separator: ",") ?? []
        guard let path = fields.first(where: { $0.hasPrefix("path=") })?.dropFirst(5) else {
            throw RawBusError("'\(address)' is not the address of a Unix socket")
        }
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw RawBusError("the socket path is too long: \(path)")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw RawBusError("cannot connect to \(path): \(String(cString: strerror(errno)))") }
        try authenticate()
        let reply = try call("Hello", of: Self.bus, at: "/org/freedesktop/DBus", to: Self.bus)
        name = try reply.values().first?.text ?? ""
    }

    deinit { close() }

    /// The bus's own name, which is also the name of its interface.
    package static let bus = "org.freedesktop.DBus"

    /// Closes the connection immediately, without finishing a message in progress.
    package func close() {
        guard socket >= 0 else { return }
        Glibc.close(socket)
        socket = -1
    }

    /// Authenticates without naming a user, so that the bus uses the kernel's credentials.
    ///
    /// This also works inside a user namespace.
    private func authenticate() throws {
        try write(Array("\0AUTH EXTERNAL\r\nDATA\r\nNEGOTIATE_UNIX_FD\r\n".utf8))
        var text = ""
        // The bus replies with DATA, OK, and AGREE_UNIX_FD, one line each.
        while text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) < 3 {
            guard try fill(milliseconds: 10_000) else { throw RawBusError("authentication did not finish: \(text)") }
            text += String(decoding: unread[readPosition...], as: UTF8.self)
            unread = []
            if text.contains("REJECTED") || text.contains("ERROR") {
                throw RawBusError("the bus rejected authentication: \(text)")
            }
        }
        // BEGIN is sent only now, because a bus proxy treats everything after BEGIN as messages, in both directions.
        try write(Array("BEGIN\r\n".utf8))
    }

    // MARK: Sending

    /// Sends a message.
    ///
    /// - Parameter milliseconds: The longest time that the bus may accept no bytes.
    /// - Returns: The serial number of the message.
    @discardableResult
    package func send(
        _ message: WireMessage, descriptors: [Int32] = [], milliseconds: Int32 = 60_000
    ) throws -> UInt32 {
        var message = message
        serial += 1
        message.serial = serial
        message.descriptorCount = UInt32(descriptors.count)
        try write(message.encoded, descriptors: descriptors, milliseconds: milliseconds)
        return serial
    }

    /// Sends only the first half of a message.
    package func sendHalf(_ message: WireMessage) throws {
        var message = message
        serial += 1
        message.serial = serial
        let bytes = message.encoded
        try write(Array(bytes.prefix(bytes.count / 2)))
    }

    private func write(_ bytes: [UInt8], descriptors: [Int32] = [], milliseconds: Int32 = 60_000) throws {
        var sent = 0
        var descriptors = descriptors
        while sent < bytes.count {
            var ready = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
            let status = poll(&ready, 1, milliseconds)
            guard status > 0 else { throw RawBusError("the bus accepts no more bytes") }
            let count = bytes.withUnsafeBytes { buffer in
                Self.sendSome(socket, UnsafeRawBufferPointer(rebasing: buffer[sent...]), descriptors)
            }
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { throw RawBusError("the bus disconnected: \(String(cString: strerror(errno)))") }
            // The descriptors travel with the first byte.
            descriptors = []
            sent += count
        }
    }

    private static func sendSome(_ socket: Int32, _ bytes: UnsafeRawBufferPointer, _ descriptors: [Int32]) -> Int {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        guard !descriptors.isEmpty else { return Glibc.send(socket, bytes.baseAddress, bytes.count, flags) }
        let dataSize = descriptors.count * MemoryLayout<Int32>.size
        let headerSize = MemoryLayout<cmsghdr>.size
        let space = headerSize + (dataSize + 7) / 8 * 8
        let control = UnsafeMutableRawPointer.allocate(byteCount: space, alignment: 8)
        defer { control.deallocate() }
        memset(control, 0, space)
        // `SCM_RIGHTS` is an enumerator in C and is not imported as an integer.
        let scmRights: Int32 = 1
        var controlHeader = cmsghdr()
        controlHeader.cmsg_len = headerSize + dataSize
        (controlHeader.cmsg_level, controlHeader.cmsg_type) = (SOL_SOCKET, scmRights)
        control.storeBytes(of: controlHeader, as: cmsghdr.self)
        UnsafeMutableRawBufferPointer(start: control + headerSize, count: dataSize).copyBytes(
            from: descriptors.flatMap { descriptor in withUnsafeBytes(of: descriptor) { Array($0) } })
        var part = iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
        return withUnsafeMutablePointer(to: &part) { part in
            var header = msghdr()
            (header.msg_iov, header.msg_iovlen) = (part, 1)
            (header.msg_control, header.msg_controllen) = (control, space)
            return sendmsg(socket, &header, flags)
        }
    }

    // MARK: Receiving

    /// Returns the next message, or `nil` if no message arrives in time.
    package func receive(milliseconds: Int32) throws -> WireMessage? {
        if !waiting.isEmpty { return waiting.removeFirst() }
        return try next(milliseconds: milliseconds)
    }

    private func next(milliseconds: Int32) throws -> WireMessage? {
        while true {
            let rest = unread[readPosition...]
            if let length = WireMessage.length(of: rest), rest.count >= length {
                let message = try WireMessage(decoding: Array(rest.prefix(length)))
                readPosition += length
                if readPosition == unread.count || readPosition > 1 << 20 {
                    unread.removeFirst(readPosition)
                    readPosition = 0
                }
                if message.kind == .call {
                    try reply(message)
                    continue
                }
                return message
            }
            guard try fill(milliseconds: milliseconds) else { return nil }
        }
    }

    /// Replies to a call as every D-Bus library does. The daemon uses `Ping` to learn which clients read their
    /// messages.
    private func reply(_ call: WireMessage) throws {
        guard !call.expectsNoReply else { return }
        let isPing = call.interface == "org.freedesktop.DBus.Peer" && call.member == "Ping"
        var reply = WireMessage(isPing ? .reply : .error)
        reply.errorName = isPing ? nil : "org.freedesktop.DBus.Error.UnknownMethod"
        (reply.replySerial, reply.destination, reply.expectsNoReply) = (call.serial, call.sender, true)
        try send(reply)
    }

    /// Reads the available bytes. Returns `false` if no bytes arrive in time.
    private func fill(milliseconds: Int32) throws -> Bool {
        var ready = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, milliseconds) > 0 else { return false }
        let size = 1 << 16
        let count = withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
            let count = recv(socket, buffer.baseAddress, size, 0)
            if count > 0 { unread.append(contentsOf: buffer[..<count]) }
            return count
        }
        if count < 0, errno == EINTR { return try fill(milliseconds: milliseconds) }
        guard count > 0 else { throw RawBusError("the bus disconnected") }
        return true
    }

    /// Calls a method and waits for its reply, which may be an error. Other messages are kept for `receive`.
    package func call(
        _ member: String, of interface: String, at path: String, to destination: String,
        _ arguments: [WireValue] = [], descriptors: [Int32] = [], milliseconds: Int32 = 60_000
    ) throws -> WireMessage {
        let message = WireMessage.call(member, of: interface, at: path, to: destination, arguments)
        return try reply(to: try send(message, descriptors: descriptors), milliseconds: milliseconds)
    }

    /// Waits for the reply to a call. Other messages are kept for `receive`.
    ///
    /// - Throws: `RawBusError` if no reply arrives in time.
    package func reply(to serial: UInt32, milliseconds: Int32 = 60_000) throws -> WireMessage {
        let deadline = ContinuousClock.now + .milliseconds(Int(milliseconds))
        while true {
            let left = deadline - ContinuousClock.now
            let time = max(0, left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000)
            guard let message = try next(milliseconds: Int32(time)) else {
                throw RawBusError("no reply within \(milliseconds) ms")
            }
            if message.replySerial == serial { return message }
            waiting.append(message)
        }
    }
}
