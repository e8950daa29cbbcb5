// SPDX-License-Identifier: Apache-2.0
import TransferBusProtocol
import TransferModel
import TransferPolicy

/// The list of transfers as JSON, byte for byte as `JSONLine` would write it.
///
/// `JSONLine` takes a hundred times as long for thousands of transfers, because it wraps each value in an object
/// first.
enum StatusJSON {
    /// Returns an object with the keys `commands` and `transfers`. Keys are sorted, and unknown values are left out.
    static func document(_ rows: [TransferStatus], commands: [CommandStatus] = []) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(rows.count * 400)
        text += #"{"commands":["#.utf8
        for (index, command) in commands.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text += (JSONLine.text(of: command.listed) ?? "{}").utf8
        }
        text += #"],"transfers":["#.utf8
        for (index, row) in rows.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            append(row, to: &text)
        }
        text += "]}".utf8
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(_ row: TransferStatus, to text: inout [UInt8]) {
        var separator = UInt8(ascii: "{")
        func key(_ key: StaticString) {
            text.append(separator)
            separator = UInt8(ascii: ",")
            text.append(UInt8(ascii: "\""))
            text += UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
            text += "\":".utf8
        }
        func add(_ name: StaticString, _ value: String?) {
            guard let value else { return }
            key(name)
            append(value, to: &text)
        }
        func add(_ name: StaticString, _ value: Int64?) {
            guard let value else { return }
            key(name)
            text += "\(value)".utf8
        }
        add("app", row.app)
        add("attempt", Int64(row.attempt))
        add("bytes", row.bytes)
        add("deadline", row.deadline.map { BusDate($0).description })
        add("deadline-state", row.deadlineState?.rawValue)
        add("error", row.error)
        add("error-code", row.errorCode)
        add("id", row.id.rawValue)
        add("kind", row.kind.rawValue)
        add("name", row.name)
        add("path", row.path)
        add("priority", Int64(row.priority))
        add("rate", row.rate)
        add("sentence", row.sentence)
        add("session", row.session)
        add("state", row.state.rawValue)
        add("status", row.status.map(Int64.init))
        add("submitted", BusDate(row.submitted).description)
        add("total", row.total)
        key("upload")
        text += (row.isUpload ? "true" : "false").utf8
        add("url", row.url)
        text.append(UInt8(ascii: "}"))
    }

    /// Appends a string in the escaped form of RFC 8259.
    private static func append(_ value: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0x08: text += "\\b".utf8
            case 0x09: text += "\\t".utf8
            case 0x0A: text += "\\n".utf8
            case 0x0C: text += "\\f".utf8
            case 0x0D: text += "\\r".utf8
            case 0..<0x20: text += "\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
