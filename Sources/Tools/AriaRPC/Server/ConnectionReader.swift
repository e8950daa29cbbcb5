// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import FlyingSocks
import Foundation

/// Reads requests and frames from a connection. What exceeds the limits is never in memory.
actor ConnectionReader {
    /// The maximum number of bytes of a request's header fields.
    static let maximumHeadBytes = 8 << 10

    private let socket: AsyncSocket
    private let deadline: RequestDeadline
    /// The bytes that were read too early, and those of an unfinished read.
    private var buffer: [UInt8] = []

    init(_ socket: AsyncSocket, _ deadline: RequestDeadline) { (self.socket, self.deadline) = (socket, deadline) }

    private func readMore() async throws {
        let bytes = try await socket.read(atMost: 4096)
        guard !bytes.isEmpty else { throw SocketError.disconnected }
        deadline.received()
        buffer += bytes
    }

    /// Returns the first line and the header fields of the next request.
    ///
    /// - Throws: `RPCFault` if they are too long.
    func head() async throws -> String {
        var searched = 0
        while true {
            if let end = Self.endOfHead(buffer, from: searched) {
                let head = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeFirst(end)
                return head
            }
            guard buffer.count < Self.maximumHeadBytes else {
                throw RPCFault("the header fields have more than \(Self.maximumHeadBytes) bytes")
            }
            searched = max(buffer.count - 3, 0)
            try await readMore()
        }
    }

    /// Returns the index after the empty line, or `nil` if there is none.
    private static func endOfHead(_ bytes: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + 3 < bytes.count {
            if bytes[index] == 13, bytes[index + 1] == 10, bytes[index + 2] == 13, bytes[index + 3] == 10 {
                return index + 4
            }
            index += 1
        }
        return nil
    }

    /// Returns the next bytes.
    func bytes(_ count: Int) async throws -> Data {
        while buffer.count < count { try await readMore() }
        let bytes = Data(buffer[..<count])
        // Not `removeFirst`, which keeps the memory.
        buffer = Array(buffer[count...])
        return bytes
    }

    /// Reads and forgets what follows a refused request, so that its client can read the answer.
    func discard(atMost count: Int) async throws {
        var rest = count
        while rest > 0 {
            buffer = []
            try await readMore()
            rest -= buffer.count
        }
    }

    /// Returns the next frame of a WebSocket (RFC 6455, section 5.2).
    ///
    /// - Throws: `WSCloseCode` if the frame is not allowed.
    func frame(from client: RPCClient) async throws -> WSFrame {
        let start = try await bytes(2)
        let (flags, sizeByte) = (start[0], start[1])
        guard flags & 0x70 == 0 else { throw FrameFault(.protocolError) }
        guard sizeByte & 0x80 != 0 else { throw FrameFault(.protocolError) }
        var count = Int(sizeByte & 0x7F)
        if count > 125 {
            // Each of the at most 2^63 lengths is an Int.
            let size = try await bytes(count == 126 ? 2 : 8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            count = Int(clamping: size)
        }
        let maximum = await client.maximumBytes
        guard count <= maximum else { throw FrameFault.tooLong(maximum) }
        let mask = try await bytes(4)
        if count > RPCClient.maximumStrangerBytes { await client.slots.claimLongText(client.id) }
        var payload = try await bytes(count)
        payload.withUnsafeMutableBytes { bytes in
            for index in bytes.indices { bytes[index] ^= mask[index % 4] }
        }
        return WSFrame(fin: flags & 0x80 != 0, opcode: .init(flags & 0x0F), mask: nil, payload: payload)
    }
}

/// The end of a WebSocket whose client has sent what it may not.
struct FrameFault: Error {
    let code: WSCloseCode

    init(_ code: WSCloseCode) { self.code = code }

    /// A message is too long for the client.
    static func tooLong(_ maximum: Int) -> FrameFault {
        let more = maximum < RPCHandler.maximumBytes ? "; call with the right token first" : ""
        return FrameFault(WSCloseCode(1009, reason: "a message may have \(maximum) bytes\(more)"))
    }
}
