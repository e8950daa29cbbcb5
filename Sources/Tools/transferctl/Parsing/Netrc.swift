// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferModel

/// The logins and passwords in a `.netrc` file, in the format of ftp(1), curl and wget.
struct Netrc {
    /// An entry of the file. `machine` is `nil` for `default`.
    private struct Entry {
        var machine: String?
        var login: String?
        var password: String?
    }

    private let entries: [Entry]

    /// Parses the text of a file. Macros are skipped, and unknown words are an error.
    ///
    /// - Parameter name: The name of the file, for error messages.
    /// - Throws: `UsageError` that names the line and the keyword or the index of the entry, and never a password.
    init(_ text: String, name: String = ".netrc") throws {
        var entries: [Entry] = []
        var words = Self.words(of: text).makeIterator()
        while let (word, line) = words.next() {
            switch word {
            case "machine":
                guard let (machine, _) = words.next() else {
                    throw UsageError("\(name):\(line): missing host name after 'machine'")
                }
                entries.append(Entry(machine: machine))
            case "default":
                entries.append(Entry(machine: nil))
            case "login", "password", "account":
                guard !entries.isEmpty else {
                    throw UsageError("\(name):\(line): '\(word)' must follow 'machine' or 'default'")
                }
                guard let (value, _) = words.next() else {
                    throw UsageError("\(name):\(line): missing value after '\(word)'")
                }
                if word == "login" { entries[entries.count - 1].login = value }
                if word == "password" { entries[entries.count - 1].password = value }
            default:
                throw UsageError(
                    "\(name):\(line): unexpected word in entry \(entries.count); expected 'machine', 'default', 'login', "
                        + "'password', or 'account'")
            }
        }
        self.entries = entries
    }

    /// Returns the user name and password for `host`, or `nil` if the file has no entry for it.
    ///
    /// - Parameters:
    ///   - host: The name of the server.
    ///   - user: The user whose password is wanted, or `nil` for the first user.
    func credential(host: String, user: String? = nil) -> Credential? {
        let fitting = entries.filter { user == nil || $0.login == nil || $0.login == user }
        let entry =
            fitting.first { $0.machine?.lowercased() == host.lowercased() } ?? fitting.first { $0.machine == nil }
        guard let entry, let login = user ?? entry.login else { return nil }
        return Credential(user: login, password: entry.password ?? "")
    }

    /// Returns the words outside comments and macro definitions, each with the number of its line. A quoted word may
    /// contain spaces.
    private static func words(of text: String) -> [(word: String, line: Int)] {
        var words: [(word: String, line: Int)] = []
        var isMacro = false
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            // A macro ends at an empty line.
            if isMacro {
                isMacro = !line.allSatisfy(\.isWhitespace)
                continue
            }
            var word = ""
            var isQuoted = false
            var isEscaped = false
            var lineWords: [String] = []
            for character in line {
                if isEscaped {
                    word.append(character)
                    isEscaped = false
                } else if character == "\\", isQuoted {
                    isEscaped = true
                } else if character == "\"" {
                    isQuoted.toggle()
                } else if character.isWhitespace, !isQuoted {
                    if !word.isEmpty { lineWords.append(word) }
                    word = ""
                } else if character == "#", word.isEmpty, !isQuoted, lineWords.last != "password" {
                    break
                } else {
                    word.append(character)
                }
            }
            if !word.isEmpty { lineWords.append(word) }
            if let macro = lineWords.firstIndex(of: "macdef") {
                lineWords.removeSubrange(macro...)
                isMacro = true
            }
            words += lineWords.map { (word: $0, line: index + 1) }
        }
        return words
    }
}
