// SPDX-License-Identifier: Apache-2.0

/// The content of a file of overrides, before parsing.
struct OverridesContent: Hashable, Sendable, Codable {
    var path: String
    /// The text of the file; empty if the file does not exist.
    var text = ""
    /// The reason for a failed read; `nil` if the read succeeded.
    var problem: String?

    /// Parses the content.
    ///
    /// - Throws: `OverridesFileError` if the file could not be read, or if its text is invalid.
    func overrides() throws(OverridesFileError) -> ConnectionOverrides {
        if let problem { throw OverridesFileError(path: path, problem: problem) }
        return try OverridesFile(path: path).parse(text)
    }
}
