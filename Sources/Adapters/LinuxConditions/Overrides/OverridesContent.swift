// SPDX-License-Identifier: Apache-2.0

/// A file of overrides as it was read.
struct OverridesContent: Hashable, Sendable, Codable {
    var path: String
    /// Its text; empty where there is no file.
    var text = ""
    /// Why it could not be read; nil where it could.
    var problem: String?

    /// What it says.
    ///
    /// - Throws: `OverridesFileError` where it could not be read, or cannot be understood.
    func overrides() throws(OverridesFileError) -> ConnectionOverrides {
        if let problem { throw OverridesFileError(path: path, problem: problem) }
        return try OverridesFile(path: path).parse(text)
    }
}
