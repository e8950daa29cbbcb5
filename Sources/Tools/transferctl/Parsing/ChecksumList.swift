// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport
import TransferModel

/// A parser for files such as `SHA256SUMS`, in the formats of sha256sum(1) and of BSD.
///
/// Each line is `HEX  NAME`, `HEX *NAME`, or `SHA256 (NAME) = HEX`. Empty lines, comments, and the frame of a signed
/// message are ignored. The signature itself is not verified.
struct ChecksumList {
    private let name: String
    /// The files with their whole names, in order.
    private(set) var entries: [(name: String, checksum: Checksum)] = []
    /// The checksums, by the last component of each name.
    private var checksums: [String: Set<Checksum>] = [:]

    /// Parses `text`.
    ///
    /// - Parameter name: The name of the file, for error messages.
    /// - Throws: `UsageError` that names the file and the line.
    init(_ text: String, name: String) throws {
        self.name = name
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if line.hasPrefix("-----BEGIN PGP SIGNATURE") { break }
            guard !line.allSatisfy(\.isWhitespace), !line.hasPrefix("#"), !line.hasPrefix("-----"),
                !line.hasPrefix("Hash:")
            else { continue }
            guard let (file, checksum) = Self.entry(line) else {
                throw UsageError(
                    "\(name):\(index + 1): not a line of SHA256SUMS or SHA512SUMS; use 'HEX  NAME' with 64 or 128 digits"
                )
            }
            entries.append((file, checksum))
            checksums[Self.lastComponent(file), default: []].insert(checksum)
        }
    }

    /// Reads the file at `path`.
    ///
    /// - Throws: `UsageError` if the file cannot be read or has an invalid line.
    init(path: String) throws { try self.init(TextFile.read(path, option: "checksums"), name: path) }

    /// Returns the checksum of a file.
    ///
    /// - Parameter names: The names by which the list may know the file, most likely first.
    /// - Throws: `UsageError` if the list has no checksum of the file, or several different ones.
    func checksum(of names: [String]) throws -> Checksum {
        guard let file = names.first(where: { checksums[$0] != nil }), let found = checksums[file],
            let checksum = found.first
        else { throw UsageError("\(name) has no checksum of '\(names.first ?? "")'; leave out --checksums, or add it") }
        guard found.count == 1 else {
            throw UsageError("\(name) has several checksums of '\(file)'; use --checksum with the right one")
        }
        return checksum
    }

    private static func entry(_ line: Substring) -> (name: String, Checksum)? {
        if let open = line.range(of: " ("), let close = line.range(of: ") = ", options: .backwards),
            open.upperBound <= close.lowerBound, line.hasPrefix("SHA")
        {
            let algorithm = line[..<open.lowerBound].lowercased()
            return checksum(line[close.upperBound...], algorithm).map {
                (String(line[open.upperBound..<close.lowerBound]), $0)
            }
        }
        // A leading backslash marks a name with escapes.
        let isEscaped = line.hasPrefix("\\")
        let line = isEscaped ? line.dropFirst() : line
        let digits = line.prefix { $0.isHexDigit }
        let rest = line.dropFirst(digits.count)
        guard rest.count > 2, rest.hasPrefix("  ") || rest.hasPrefix(" *"), let checksum = checksum(digits) else {
            return nil
        }
        let name = String(rest.dropFirst(2))
        return (isEscaped ? name.replacing("\\n", with: "\n").replacing("\\\\", with: "\\") : name, checksum)
    }

    private static func checksum(_ digits: Substring, _ algorithm: String? = nil) -> Checksum? {
        let byLength = digits.count == 128 ? "sha512" : "sha256"
        return try? Checksum(parsing: "\(algorithm ?? byLength):\(digits)")
    }

    private static func lastComponent(_ name: String) -> String {
        name.split(separator: "/").last.map(String.init) ?? name
    }
}

/// A parser for checksums: `sha256:HEX` or `sha512:HEX`.
struct ChecksumExpression {
    /// The parsed checksum.
    let checksum: Checksum

    /// Parses `text`.
    ///
    /// - Throws: `UsageError` with a description of the error.
    init(_ text: String) throws {
        do { checksum = try Checksum(parsing: text) } catch { throw UsageError("the checksum '\(text)' \(error)") }
    }
}
