// SPDX-License-Identifier: Apache-2.0

/// The user's overrides for connections: whether each connection is metered, regardless of all other sources.
///
/// The file is a simple subset of TOML:
/// ```toml
/// [metered]
/// "Train Wi-Fi" = "yes"
/// "wired" = "no"
/// ```
public struct ConnectionOverrides: Hashable, Sendable {
    /// A value of an override.
    public enum Setting: String, Hashable, Sendable, CaseIterable {
        /// The connection is metered.
        case yes
        /// The connection is free.
        case no
    }

    /// The overrides by the name of the connection: an SSID or a profile, or an interface if no service names
    /// connections.
    public var settings: [String: Setting] = [:]

    /// Creates an empty set of overrides.
    public init() {}

    /// Creates overrides from the text of a file.
    ///
    /// - Throws: `ConnectionOverridesError` for the first invalid line.
    public init(parsing text: String) throws(ConnectionOverridesError) {
        var isInTable = false
        // Split by scalars: as a `Character`, a carriage return with a line feed equals neither.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, scalars) in lines.enumerated() {
            func error(_ problem: String) -> ConnectionOverridesError {
                ConnectionOverridesError(line: index + 1, problem: problem)
            }
            let line = String(scalars)
            guard line.wholeMatch(of: #/\s*(?:#.*)?\s*/#) == nil else { continue }
            guard line.wholeMatch(of: #/\s*\[\s*metered\s*\]\s*(?:#.*)?\s*/#) == nil else {
                isInTable = true
                continue
            }
            guard let entry = line.wholeMatch(of: Self.entry), let name = Self.word(entry.1),
                let value = Self.word(entry.2)
            else { throw error("'\(line)' is neither [metered] nor an override such as \"Train Wi-Fi\" = \"yes\"") }
            guard isInTable else { throw error("the line [metered] must come first") }
            guard let setting = Setting(rawValue: value) else {
                throw error("'\(value)' is no value; write \"yes\" or \"no\"")
            }
            guard !name.isEmpty else { throw error("the connection's name is empty") }
            if settings.updateValue(setting, forKey: name) != nil { throw error("duplicate line for '\(name)'") }
        }
    }

    /// A line of the file: a name and a value, each a word or a text in quotes, and perhaps a comment.
    private static var entry: Regex<(Substring, Substring, Substring)> {
        #/\s*("(?:[^"\\]|\\.)*"|[A-Za-z0-9_-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[A-Za-z0-9_-]+)\s*(?:#.*)?\s*/#
            .matchingSemantics(.unicodeScalar)
    }

    /// Decodes a word, or a text in quotes, whose escapes are those of JSON; `nil` if an escape is invalid.
    private static func word(_ text: Substring) -> String? {
        text.hasPrefix("\"") ? try? RecordingText.decode(String.self, from: text.utf8) : String(text)
    }

    /// The text of a file with these overrides, sorted by name.
    public var text: String {
        var text =
            "# Connections that are metered or unmetered, regardless of the system. Written by transferctl network.\n"
        text += "[metered]\n"
        for (name, setting) in settings.sorted(by: { $0.key < $1.key }) {
            text += "\(RecordingText.line(name)) = \"\(setting.rawValue)\"\n"
        }
        return text
    }

    /// Returns the override for the current connection; `nil` if there is none.
    ///
    /// The names of interfaces count only if the connection has no name.
    func setting(connection: String?, devices: [NetworkPath.Device]) -> Setting? {
        if let connection { return settings[connection] }
        return devices.lazy.compactMap { settings[$0.name] }.first
    }
}

/// An error in a file of overrides, with its line.
public struct ConnectionOverridesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of the line, starting at 1.
    public var line: Int
    /// The problem and, for most problems, the correction.
    public var problem: String

    /// The line and the problem, in one sentence.
    public var description: String { "line \(line): \(problem)" }
}
