// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport

/// Reading of files that options name.
enum TextFile {
    /// Returns the text of the file at `path`, or of standard input for `-`.
    ///
    /// - Parameter option: The name of the option without hyphens, for error messages.
    /// - Throws: `UsageError` if the file cannot be read or is not UTF-8 text.
    static func read(_ path: String, option: String) throws -> String {
        if path == "-" {
            guard let text = String(data: try standardInput(), encoding: .utf8) else {
                throw UsageError("standard input for --\(option) is not UTF-8 text")
            }
            return text
        }
        let path = try PathName.absolute(path)
        guard access(path, R_OK) == 0, let data = FileManager.default.contents(atPath: path) else {
            let reason = errno == 0 ? "" : " (\(String(cString: strerror(errno))))"
            throw UsageError("cannot read '\(path)' for --\(option)\(reason)")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw UsageError("'\(path)' for --\(option) is not UTF-8 text")
        }
        return text
    }

    /// Returns all bytes of standard input.
    ///
    /// - Throws: `UsageError` if standard input is closed or cannot be read.
    static func standardInput() throws(UsageError) -> Data {
        do {
            return try FileHandle.standardInput.readToEnd() ?? Data()
        } catch {
            throw UsageError("cannot read standard input, which is closed or not readable")
        }
    }
}
