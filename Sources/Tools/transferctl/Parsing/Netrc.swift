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
    /// - Throws: `UsageError` that names the keyword or the index of the entry, and never a password.
    init(_ text: String) throws {
        var entries: [Entry] = []
        var words = Self.words(of: text).makeIterator()
        while let word = words.next() {
            switch word {
            case "machine":
                guard let machine = words.next() else { throw UsageError(".netrc: missing host name after 'machine'") }
                entries.append(Entry(machine: machine))
            case "default":
                entries.append(Entry(machine: nil))
            case "login", "password", "account":
                guard !entries.isEmpty, let value = words.next() else {
                    throw UsageError(".netrc: '\(word)' has no machine or no value")
                }
                if word == "login" { entries[entries.count - 1].login = value }
                if word == "password" { entries[entries.count - 1].password = value }
            default:
                throw UsageError(
                    ".netrc: unexpected word in entry \(entries.count); expected 'machine', 'default', 'login', "
                        + "'password', or 'account'")
            }
        }
        self.entries = entries
    }

    /// Returns the user name and password for `host`, or `nil` if the file has no entry for it.
    func credential(host: String) -> Credential? {
        let entry =
            entries.first { $0.machine?.lowercased() == host.lowercased() } ?? entries.first { $0.machine == nil }
        guard let entry, let login = entry.login else { return nil }
        return Credential(user: login, password: entry.password ?? "")
    }

    /// Returns the words outside comments and macro definitions. A quoted word may contain spaces.
    private static func words(of text: String) -> [String] {
        var words: [String] = []
        var isMacro = false
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
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
            words += lineWords
        }
        return words
    }
}
