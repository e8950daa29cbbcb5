// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPExecutor
import HTTPSyntax
import TransferFiles
import TransferModel

/// Reads the heads of a response: interim ones and the final one.
struct HeadReader {
    enum Step: Equatable {
        case more
        case complete(ResponseHead)
        case tooLarge
    }
    private var status = 0
    private var fields: [HeaderField] = []
    private var size = 0
    /// A Boolean value that indicates whether the latest head is complete.
    private(set) var isComplete = false

    /// The largest size of all heads of a response in bytes.
    private static let largest = 256 << 10
    private static let blanks = CharacterSet(charactersIn: " \t")

    var isTooLarge: Bool { size > Self.largest }

    var isRedirect: Bool { (300...308).contains(status) && status != 304 }

    /// Reads a line as libcurl delivers it, with its end.
    mutating func read(_ line: UnsafeRawBufferPointer) -> Step {
        size += line.count
        if isTooLarge { return .tooLarge }
        var content = line[...]
        while let last = content.last, last == 13 || last == 10 { content.removeLast() }
        let text = String(validating: content, as: UTF8.self) ?? Self.latin1(content)
        if text.hasPrefix("HTTP/") {
            status = text.split(separator: " ").dropFirst().first.flatMap { Int($0.prefix(3)) } ?? 0
            fields = []
            isComplete = false
            return .more
        }
        // Trailers say nothing that a transfer needs.
        guard !isComplete else { return .more }
        if content.isEmpty { return end() }
        let isContinuation = content.first == 32 || content.first == 9
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        if isContinuation, let last = fields.indices.last {
            fields[last].value += " " + text.trimmingCharacters(in: Self.blanks)
        } else if parts.count == 2, !parts[0].isEmpty, !isContinuation {
            add(HeaderField(name: String(parts[0]), value: parts[1].trimmingCharacters(in: Self.blanks)))
        }
        return .more
    }

    /// Returns a line that is not UTF-8: the bytes of a URL as escapes, which stay the same bytes, and any other text as
    /// Latin-1.
    private static func latin1(_ line: Slice<UnsafeRawBufferPointer>) -> String {
        let isURL = String(decoding: line.prefix(9), as: UTF8.self).lowercased() == "location:"
        return isURL
            ? PercentCoding.escapedBeyondASCII(line)
            : String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) }))
    }

    /// Joins fields of the same name (RFC 9110 §5.3), except cookies, which contain commas.
    private mutating func add(_ field: HeaderField) {
        guard !field.value.isEmpty else { return }
        let name = field.name.lowercased()
        if name != "set-cookie", let index = fields.firstIndex(where: { $0.name.lowercased() == name }) {
            fields[index].value += ", " + field.value
        } else {
            fields.append(field)
        }
    }

    private mutating func end() -> Step {
        isComplete = true
        // 104 names the URL at which an interrupted upload continues.
        if (100..<200).contains(status), status != 101, status != 104 {
            isComplete = false
            return .more
        }
        return .complete(ResponseHead(status: status, fields: fields))
    }
}
