// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferModel

/// A parser for the file of `--input`. Each line is a URL, optionally followed by tab-separated other URLs of the same
/// file, and by options of this file alone: `out=NAME`, `dir=FOLDER`, `checksum=ALGORITHM:HEX`, `header=NAME: VALUE`,
/// `referer=URL`, and `user-agent=TEXT`.
///
/// Empty lines and lines that begin with `#` are ignored.
struct InputList {
    /// The URLs and options of one line.
    struct Item: Equatable {
        var url: String
        var mirrors: [String] = []
        var output: String?
        var directory: String?
        /// The fields of this line. They replace those of the command line with the same name.
        var headers: [HeaderField] = []
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
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let value = parts.count == 2 ? parts[1] : ""
            switch parts[0] {
            case "out":
                guard !value.isEmpty else { throw UsageError("'out=' names no file; use out=NAME") }
                item.output = value
            case "dir":
                guard !value.isEmpty else { throw UsageError("'dir=' names no folder; use dir=FOLDER") }
                item.directory = value
            case "checksum": item.checksum = try ChecksumExpression(value).checksum
            case "header": item.headers.append(try HeaderExpression(value).field)
            case "user-agent": item.headers.append(try HeaderExpression("User-Agent:" + value).field)
            case "referer": item.headers.append(try RequestFields.referer(value))
            case _ where field.contains("://"): item.mirrors.append(field.trimmingSpaces())
            default:
                // The rest may be a secret.
                throw UsageError(
                    "'\(parts[0])' is neither a URL nor one of out=NAME, dir=FOLDER, checksum=ALGORITHM:HEX, "
                        + "header=NAME: VALUE, referer=URL, and user-agent=TEXT; separate fields with tabs")
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
