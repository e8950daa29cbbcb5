// SPDX-License-Identifier: Apache-2.0

/// A person's words on connections: whether each is metered, whatever anybody else says.
///
/// Their file is TOML of the plainest kind:
/// ```toml
/// [metered]
/// "Train Wi-Fi" = "yes"
/// "wired" = "no"
/// ```
public struct ConnectionOverrides: Hashable, Sendable {
    /// A person's word.
    public enum Word: String, Hashable, Sendable, CaseIterable {
        /// Metered.
        case yes
        /// Free.
        case no
    }

    /// The words by the connection's name: an SSID or a profile, or an interface where no service names connections.
    public var words: [String: Word] = [:]

    /// No words.
    public init() {}

    /// Reads a file's text.
    ///
    /// - Throws: `ConnectionOverridesError` for the first line that is wrong.
    public init(parsing text: String) throws(ConnectionOverridesError) {
        var isInTable = false
        // By scalars: to characters, a carriage return and a line feed are one that is neither.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            var scanner = LineScanner(line: line, number: index + 1)
            scanner.skipBlanks()
            guard !scanner.isAtEnd else { continue }
            if scanner.take("[") {
                try scanner.takeTable()
                isInTable = true
                continue
            }
            guard isInTable else {
                throw ConnectionOverridesError(line: index + 1, problem: "the line [metered] has to come first")
            }
            let name = try scanner.takeString(called: "the connection's name")
            scanner.skipBlanks()
            guard scanner.take("=") else {
                throw ConnectionOverridesError(line: index + 1, problem: "after the connection's name '=' is missing")
            }
            scanner.skipBlanks()
            let value = try scanner.takeString(called: "the value")
            guard let word = Word(rawValue: value) else {
                throw ConnectionOverridesError(
                    line: index + 1, problem: "'\(value)' is no value; write \"yes\" or \"no\"")
            }
            try scanner.takeEnd()
            guard !name.isEmpty else {
                throw ConnectionOverridesError(line: index + 1, problem: "the connection's name is empty")
            }
            guard words.updateValue(word, forKey: name) == nil else {
                throw ConnectionOverridesError(line: index + 1, problem: "there is a line for '\(name)' above already")
            }
        }
    }

    /// The file's text.
    public var text: String {
        var text = "# Which connections are metered, whatever the system says. Written by transferctl override.\n"
        text += "[metered]\n"
        for (name, word) in words.sorted(by: { $0.key < $1.key }) {
            text += "\(LineScanner.quoted(name)) = \"\(word.rawValue)\"\n"
        }
        return text
    }

    /// The word on the connection in use.
    ///
    /// Interfaces count only where the connection has no name.
    func word(connection: String?, devices: [NetworkPath.Device]) -> Word? {
        if let connection { return words[connection] }
        return devices.lazy.compactMap { words[$0.name] }.first
    }
}

/// What is wrong in a file of overrides, and where.
public struct ConnectionOverridesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1.
    public var line: Int
    /// What is wrong and what would be right.
    public var problem: String

    /// One sentence.
    public var description: String { "line \(line): \(problem)" }
}
