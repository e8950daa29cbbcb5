// SPDX-License-Identifier: Apache-2.0
import ToolSupport

/// An option of an imitated program, and its translation.
struct ImitatedOption {
    /// The change of the translated command; receives the option's value, or the empty text.
    typealias Action = @Sendable (inout TranslatedCommand, String) throws -> Void

    /// The form of the option's value.
    enum Kind {
        case flag
        case value
        /// `true` or `false`, after `=` only. Without a value, the option means `true`.
        case choice
        case version
        case help
    }

    /// The names with their hyphens, such as `-o` and `--output`.
    let names: [String]
    let kind: Kind
    /// A Boolean value that indicates whether the option has no effect here.
    let isIgnored: Bool
    let action: Action

    /// Creates an option from its names, separated by spaces.
    init(_ names: String, _ kind: Kind = .value, isIgnored: Bool = false, _ action: @escaping Action = { _, _ in }) {
        self.names = names.split(separator: " ").map(String.init)
        (self.kind, self.isIgnored, self.action) = (kind, isIgnored, action)
    }

    /// Creates an option that passes its value on to an option of `get`.
    static func passed(_ names: String, as option: String) -> ImitatedOption {
        ImitatedOption(names) { $0.options += [option, $1] }
    }

    /// Creates an option that sets a flag of `get`.
    static func flag(_ names: String, as option: String) -> ImitatedOption {
        ImitatedOption(names, .flag) { command, _ in command.options.append(option) }
    }

    /// Creates an option that only tunes the imitated program.
    static func ignored(_ names: String, _ kind: Kind = .flag) -> ImitatedOption {
        ImitatedOption(names, kind, isIgnored: true)
    }
}

/// A command line of an imitated program, split into options and other words.
struct ImitatedCommandLine {
    /// The actions of the options with their values, in order.
    private(set) var actions: [(ImitatedOption.Action, String)] = []
    /// The words that are no options.
    private(set) var targets: [String] = []
    private(set) var asksForVersion = false
    private(set) var asksForHelp = false

    private let options: [ImitatedOption]
    private let program: String

    /// Parses the words after the program's name.
    ///
    /// - Throws: `UsageError` that names an unknown option and the supported ones.
    init(_ arguments: [String], options: [ImitatedOption], of program: String) throws {
        (self.options, self.program) = (options, program)
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word == "--" {
                targets += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                targets.append(word)
                continue
            }
            if word.hasPrefix("--") { try parseLong(word, &rest) } else { try parseShort(word, &rest) }
        }
    }

    private mutating func parseLong(_ word: String, _ rest: inout ArraySlice<String>) throws {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let option = try option(parts[0])
        switch option.kind {
        case .value: apply(option, try parts.count == 2 ? parts[1] : next(&rest, after: parts[0]))
        case .choice:
            let value = parts.count == 2 ? parts[1] : "true"
            guard option.isIgnored || value == "true" || value == "false" else {
                throw UsageError("'\(word)' must end in =true or =false")
            }
            apply(option, value)
        // `--help` may name a group of options.
        case .help: apply(option, "")
        case .flag, .version:
            guard parts.count == 1 else { throw UsageError("'\(parts[0])' has no value; leave out '=\(parts[1])'") }
            apply(option, "")
        }
    }

    /// Parses a cluster of options with one letter each. The last one may have a value, attached or in the next word.
    private mutating func parseShort(_ word: String, _ rest: inout ArraySlice<String>) throws {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            let option = try option("-\(letter)")
            guard case .value = option.kind else {
                apply(option, option.kind == .choice ? "true" : "")
                continue
            }
            let attached = letters.first == "=" ? letters.dropFirst() : letters
            apply(option, try letters.isEmpty ? next(&rest, after: "-\(letter)") : String(attached))
            return
        }
    }

    private func next(_ rest: inout ArraySlice<String>, after name: String) throws -> String {
        guard let value = rest.popFirst() else { throw UsageError("'\(name)' needs a value") }
        return value
    }

    private func option(_ name: String) throws -> ImitatedOption {
        if let option = options.first(where: { $0.names.contains(name) }) { return option }
        let known = options.filter { !$0.isIgnored }.flatMap(\.names).sorted().joined(separator: " ")
        throw UsageError("transferctl does not support the option '\(name)' of \(program); it supports \(known)")
    }

    private mutating func apply(_ option: ImitatedOption, _ value: String) {
        switch option.kind {
        case .version: asksForVersion = true
        case .help: asksForHelp = true
        case .flag, .value, .choice: actions.append((option.action, value))
        }
    }
}
