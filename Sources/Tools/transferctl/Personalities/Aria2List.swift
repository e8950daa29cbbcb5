// SPDX-License-Identifier: Apache-2.0
import ToolSupport

/// A list of downloads in the format of aria2 (aria2c(1), "Input File"): a line with URLs, followed by indented options.
struct Aria2List {
    /// The list in the format of `transferctl get --input`.
    private(set) var text = ""

    /// Parses a list.
    ///
    /// - Parameter name: The name of the file, for error messages.
    /// - Throws: `UsageError` that names the file and the line.
    init(_ list: String, name: String) throws {
        var urls: [String] = []
        var fields: [String] = []
        func entry() -> String { urls.isEmpty ? "" : (urls + fields).joined(separator: "\t") + "\n" }
        for (index, line) in list.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard !line.allSatisfy(\.isWhitespace), !line.hasPrefix("#") else { continue }
            do {
                if line.first?.isWhitespace == true {
                    guard !urls.isEmpty else { throw UsageError("an option before the first URL") }
                    if let field = try option(line.drop(while: \.isWhitespace)) { fields.append(field) }
                } else {
                    text += entry()
                    urls = line.split(separator: "\t").filter { !$0.allSatisfy(\.isWhitespace) }.map(String.init)
                    fields = []
                }
            } catch let error as UsageError {
                throw UsageError("\(name):\(index + 1): \(error)")
            }
        }
        text += entry()
        guard !text.isEmpty else { throw UsageError("\(name) contains no URL") }
    }

    /// Returns an option as a field of the list of `get`, or `nil` if it has no effect.
    private func option(_ text: Substring) throws -> String? {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { throw UsageError("'\(text)' is not an option; use out=NAME") }
        switch parts[0] {
        // A tab would end the field of the list.
        case "out", "dir", "header", "referer", "user-agent":
            return "\(parts[0])=\(parts[1].replacing("\t", with: " "))"
        case "checksum": return "checksum=\(try Self.checksum(parts[1]))"
        case let name where Personality.isWithoutEffect(name): return nil
        default:
            throw UsageError(
                "the option '\(parts[0])' is not supported in a list; use out=, dir=, checksum=, header=, referer=, and "
                    + "user-agent=")
        }
    }

    /// Translates `sha-256=HEX` to `sha256:HEX`.
    static func checksum(_ text: String) throws -> String {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        let names = ["sha-1": "sha1", "sha-256": "sha256", "sha-512": "sha512", "md5": "md5"]
        guard parts.count == 2, let name = names[parts[0].lowercased()] else {
            throw UsageError("not a valid checksum: '\(text)'; use sha-256=HEX or sha-512=HEX")
        }
        return "\(name):\(parts[1])"
    }
}
