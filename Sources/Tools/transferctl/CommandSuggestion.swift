// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ToolSupport
import TransferModel

/// The detection of mistyped commands.
enum CommandSuggestion {
    /// The commands that replaced former commands, by their former names.
    static let successors = [
        "add-upload": "add --upload FILE URL",
        "budgets": "network", "limiter": "apps", "log": "history ID", "override": "network CONNECTION yes",
        "policies": "config policies", "policy": "config",
        "remove": "clear ID", "retry": "resume", "sessions": "apps",
        "show": "list ID",
    ]

    /// Rejects a command that does not exist.
    ///
    /// - Parameters:
    ///   - arguments: The command line without the program.
    ///   - root: The command whose subcommands are known.
    /// - Throws: `UsageError` with the most similar command, or with `get` if the word is a URL.
    static func check(_ arguments: [String], in root: any ParsableCommand.Type) throws {
        let configuration = root.configuration
        // A default subcommand takes no arguments besides options, so that a word is always the name of a command.
        guard !configuration.subcommands.isEmpty, let word = arguments.first,
            !word.hasPrefix("-")
        else { return }
        if word == "help" { return try check(Array(arguments.dropFirst()), in: root) }
        if let command = configuration.subcommands.first(where: { $0._commandName == word }) {
            return try check(Array(arguments.dropFirst()), in: command)
        }
        let isRoot = root._commandName == TransferControl._commandName
        let path = isRoot ? "transferctl" : "transferctl \(root._commandName)"
        if word.contains("://") {
            throw UsageError(
                "'\(RedactedURL.text(of: word))' is not a command; did you mean 'transferctl get URL'?")
        }
        if isRoot, let successor = successors[word] { throw UsageError("'\(word)' is now '\(successor)'") }
        let names = configuration.subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        let suggestion = Suggestion.text(for: word, in: names)
        throw UsageError(
            "unknown command '\(path) \(word)'"
                + (suggestion.isEmpty ? "; '\(path) --help' lists the commands" : suggestion))
    }
}
