// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import LinuxConditions
import ToolSupport

/// The `transferctl override` command, which sets whether a connection is metered, whatever the system says.
struct OverrideCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "override",
        abstract: "Say of a connection that it is metered or free, whatever the system says.",
        discussion: """
            CONNECTION is the name that 'transferctl conditions' shows: the profile or SSID, or the interface where no \
            service names connections. yes: metered, no: free, auto: what the system says again. Without arguments all \
            words are listed; with --json as one JSON object: overrides, a list of connection and metered, and file.

            The words are kept in $XDG_CONFIG_HOME/transferd/overrides.toml (~/.config where that is not set), which may \
            be edited; commands that run already follow it at once.
            """)

    /// The values of an override.
    enum Word: String, CaseIterable {
        case yes, no, auto
    }

    @Argument(
        help: "The connection's name.",
        completion: .shellCommand("nmcli -g NAME connection show 2>/dev/null"))
    var connection: String?

    @Argument(help: "yes, no or auto; metered=yes and so on as well.", completion: .list(Word.allCases.map(\.rawValue)))
    var metered: String?

    @Flag(help: "Write one JSON object.")
    var json = false

    func run() throws {
        let file = OverridesFile(path: try Parts.overridesPath())
        do {
            if let connection {
                try change(connection, to: try Self.word(metered), in: file)
                if !json { return }
            }
            list(try file.read(), file)
        } catch let error as OverridesFileError {
            throw UsageError("\(error)")
        }
    }

    /// Parses the value of an override.
    ///
    /// - Throws: `UsageError` if the value is missing or unknown.
    static func word(_ text: String?) throws -> Word {
        guard let text else { throw UsageError("say yes, no or auto after the connection's name") }
        let key = "metered="
        guard let word = Word(rawValue: text.hasPrefix(key) ? String(text.dropFirst(key.count)) : text) else {
            throw UsageError("'\(text)' cannot be said of a connection; write yes, no or auto")
        }
        return word
    }

    private func change(_ connection: String, to word: Word, in file: OverridesFile) throws {
        guard !connection.isEmpty else { throw UsageError("the connection's name is empty") }
        try PrivateFolder.make(
            String(file.path[..<(file.path.lastIndex(of: "/") ?? file.path.startIndex)]), called: "the folder",
            remedy: "set XDG_CONFIG_HOME to another one")
        try file.change { overrides in
            overrides.words[connection] =
                switch word {
                case .yes: .yes
                case .no: .no
                case .auto: nil
                }
        }
    }

    private func list(_ overrides: ConnectionOverrides, _ file: OverridesFile) {
        let words = overrides.words.sorted { $0.key < $1.key }
        if json {
            let list = words.map { ["connection": $0.key, "metered": $0.value.rawValue] }
            JSONLine.print(["overrides": list, "file": file.path])
        } else if words.isEmpty {
            Console.error("transferctl: no connection is overridden")
        } else {
            for (name, word) in words { Console.print("\(name.printable)  \(word.rawValue)") }
        }
    }
}
