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
        for (index, line) in lines.enumerated() {
            var scanner = LineScanner(line: line, number: index + 1)
            scanner.skipBlanks()
            guard !scanner.isAtEnd else { continue }
            if scanner.consume("[") {
                try scanner.consumeTable()
                isInTable = true
                continue
            }
            guard isInTable else {
                throw ConnectionOverridesError(line: index + 1, problem: "the line [metered] must come first")
            }
            let name = try scanner.consumeString(called: "the connection's name")
            scanner.skipBlanks()
            guard scanner.consume("=") else {
                throw ConnectionOverridesError(line: index + 1, problem: "'=' is missing after the connection's name")
            }
            scanner.skipBlanks()
            let value = try scanner.consumeString(called: "the value")
            guard let setting = Setting(rawValue: value) else {
                throw ConnectionOverridesError(
                    line: index + 1, problem: "'\(value)' is no value; write \"yes\" or \"no\"")
            }
            try scanner.consumeEnd()
            guard !name.isEmpty else {
                throw ConnectionOverridesError(line: index + 1, problem: "the connection's name is empty")
            }
            guard settings.updateValue(setting, forKey: name) == nil else {
                throw ConnectionOverridesError(line: index + 1, problem: "duplicate line for '\(name)'")
            }
        }
    }

    /// The text of a file with these overrides, sorted by name.
    public var text: String {
        var text =
            "# Connections that are metered or unmetered, regardless of the system. Written by transferctl network.\n"
        text += "[metered]\n"
        for (name, setting) in settings.sorted(by: { $0.key < $1.key }) {
            text += "\(LineScanner.quoted(name)) = \"\(setting.rawValue)\"\n"
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
