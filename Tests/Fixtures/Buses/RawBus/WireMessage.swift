// SPDX-License-Identifier: Apache-2.0

/// A D-Bus message: its header fields and its body.
package struct WireMessage: Sendable {
    /// The types of messages, with their numbers on the wire.
    package enum Kind: UInt8, Sendable {
        case call = 1
        case reply = 2
        case error = 3
        case signal = 4
    }

    /// The type of the message.
    package var kind: Kind
    /// The sender's number for this message, or 0 before the message is sent.
    package var serial: UInt32 = 0
    /// The serial of the call that this message replies to.
    package var replySerial: UInt32?
    package var path: String?
    package var interface: String?
    package var member: String?
    package var errorName: String?
    package var destination: String?
    package var sender: String?
    /// The signature of the body.
    package var signature = ""
    /// The marshaled body.
    package var body: [UInt8] = []
    /// The number of descriptors that accompany the message.
    package var descriptorCount: UInt32 = 0
    /// A Boolean value that indicates whether the sender of a call wants no reply.
    package var expectsNoReply = false

    /// Creates a message without fields.
    package init(_ kind: Kind) { self.kind = kind }

    /// Creates a method call.
    package static func call(
        _ member: String, of interface: String, at path: String, to destination: String, _ arguments: [WireValue] = []
    ) -> WireMessage {
        var message = WireMessage(.call)
        (message.path, message.interface, message.member) = (path, interface, member)
        message.destination = destination
        message.signature = arguments.map(\.typeSignature).joined()
        var writer = WireWriter()
        for argument in arguments { writer.append(argument) }
        message.body = writer.bytes
        return message
    }

    /// Returns the values of the body.
    ///
    /// - Throws: `RawBusError` if the body does not match the signature.
    package func values() throws -> [WireValue] {
        var reader = WireReader(body)
        return try reader.values(of: signature)
    }

    /// The complete message in its wire format, in little-endian byte order.
    package var encoded: [UInt8] {
        var fields: [WireValue] = []
        func add(_ code: UInt8, _ value: WireValue?) {
            if let value { fields.append(.structure([.byte(code), .variant(value)])) }
        }
        add(1, path.map(WireValue.path))
        add(2, interface.map(WireValue.string))
        add(3, member.map(WireValue.string))
        add(4, errorName.map(WireValue.string))
        add(5, replySerial.map(WireValue.uint32))
        add(6, destination.map(WireValue.string))
        add(8, signature.isEmpty ? nil : .signature(signature))
        add(9, descriptorCount == 0 ? nil : .uint32(descriptorCount))
        var writer = WireWriter()
        writer.append(raw: [UInt8(ascii: "l"), kind.rawValue, expectsNoReply ? 1 : 0, 1])
        writer.append(.uint32(UInt32(body.count)))
        writer.append(.uint32(serial))
        writer.append(.array(of: "(yv)", fields))
        writer.align(to: 8)
        writer.append(raw: body)
        return writer.bytes
    }

    /// Returns the length of the message that begins with these bytes, or `nil` if fewer than 16 bytes are available.
    static func length(of bytes: some RandomAccessCollection<UInt8>) -> Int? {
        guard bytes.count >= 16 else { return nil }
        let start = Array(bytes.prefix(16))
        let number = { (offset: Int) in (0..<4).reduce(0) { $0 | Int(start[offset + $1]) << (8 * $1) } }
        return (16 + number(12) + 7) / 8 * 8 + number(4)
    }

    /// Decodes a complete message.
    ///
    /// - Throws: `RawBusError` if the bytes are not a valid little-endian message.
    init(decoding bytes: [UInt8]) throws {
        guard bytes.count >= 16, bytes[0] == UInt8(ascii: "l"), let kind = Kind(rawValue: bytes[1]) else {
            throw RawBusError("not a little-endian D-Bus message")
        }
        self.kind = kind
        expectsNoReply = bytes[2] & 1 != 0
        var reader = WireReader(bytes, from: 4)
        let header = try reader.values(of: "uua(yv)")
        if case .uint32(let number) = header[1] { serial = number }
        for case .structure(let field) in header[2].members {
            guard case .byte(let code) = field[0], case .variant(let value) = field[1] else { continue }
            switch code {
            case 1: path = value.text
            case 2: interface = value.text
            case 3: member = value.text
            case 4: errorName = value.text
            case 5: if case .uint32(let number) = value { replySerial = number }
            case 6: destination = value.text
            case 7: sender = value.text
            case 8: signature = value.text ?? ""
            default: break
            }
        }
        try reader.align(to: 8)
        body = Array(bytes[reader.position...])
    }
}
