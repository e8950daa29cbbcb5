// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferModel

/// A parser for the file of `--input`. Each line is a URL, optionally followed by tab-separated other URLs of the same
/// file, `out=NAME`, and `checksum=ALGORITHM:HEX`.
///
/// Empty lines and lines that begin with `#` are ignored.
struct InputList {
    /// The URLs, output name and checksum of one line.
    struct Item: Equatable {
        var url: String
        var mirrors: [String] = []
        var output: String?
        var checksum: Checksum?
    }

    /// The items, one for each line that is not ignored.
    let items: [Item]

    /// Parses `text`.
    ///
    /// - Parameter name: The name of the file, for error messages.
    /// - Throws: `UsageError` that names the file and the line.
    init(_ text: String, name: String) throws {
        var items: [Item] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard !line.allSatisfy(\.isWhitespace), !line.hasPrefix("#") else { continue }
            do {
                items.append(try Self.item(String(line)))
            } catch let error as UsageError {
                throw UsageError("\(name):\(index + 1): \(error)")
            }
        }
        self.items = items
    }

    private static func item(_ line: String) throws -> Item {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: true).map(String.init)
        var item = Item(url: fields[0].trimmingSpaces())
        for field in fields.dropFirst() {
            if field.hasPrefix("out=") {
                item.output = String(field.dropFirst(4))
                if item.output?.isEmpty ?? true { throw UsageError("'out=' names no file; use out=NAME") }
            } else if field.hasPrefix("checksum=") {
                item.checksum = try ChecksumExpression(String(field.dropFirst(9))).checksum
            } else if field.contains("://") {
                item.mirrors.append(field.trimmingSpaces())
            } else {
                throw UsageError(
                    "'\(field)' is neither a URL, nor out=NAME, nor checksum=ALGORITHM:HEX; separate fields with tabs")
            }
        }
        return item
    }
}

extension String {
    /// Returns the string without leading and trailing spaces.
    fileprivate func trimmingSpaces() -> String {
        var rest = Substring(self)
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
