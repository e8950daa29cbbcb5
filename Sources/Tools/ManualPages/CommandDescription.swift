// SPDX-License-Identifier: Apache-2.0
package import ArgumentParser
internal import Foundation

/// A description of a command, its options, and its subcommands, as ArgumentParser reports them.
package struct CommandDescription: Decodable {
    private struct Tool: Decodable {
        var command: CommandDescription
    }

    private struct Argument: Decodable, Hashable {
        struct Name: Decodable, Hashable {
            var kind: String
            var name: String

            var text: String { (kind == "long" ? "--" : "-") + name }
        }

        var kind: String
        var shouldDisplay: Bool?
        var isOptional: Bool?
        var isRepeating: Bool?
        var names: [Name]?
        var valueName: String?
        var abstract: String?
        var defaultValue: String?

        /// The names and the value of the option.
        var term: String {
            let names = (names ?? []).map(\.text).joined(separator: ", ")
            return names + (kind == "option" ? " <\(valueName ?? "value")>" : "")
        }

        var entry: ManualBlock {
            let showsDefault = defaultValue.map { !$0.isEmpty } ?? false
            return .entry(term, (abstract ?? "") + (showsDefault ? " (default: \(defaultValue ?? ""))" : ""))
        }
    }

    private var commandName: String
    private var abstract: String?
    private var discussion: String?
    private var shouldDisplay: Bool?
    private var subcommands: [CommandDescription]?
    private var arguments: [Argument]?

    /// Returns the description of a root command.
    ///
    /// - Parameter showsHidden: Whether the options that only `--help-hidden` lists are described too.
    package static func root(
        _ command: (some ParsableCommand).Type, showsHidden: Bool = false
    ) throws -> CommandDescription {
        var description = try JSONDecoder().decode(Tool.self, from: Data(command._dumpHelp().utf8)).command
        if showsHidden { description.showOptions(in: help(of: command)) }
        return description
    }

    private static func help(of command: any ParsableCommand.Type) -> String {
        command.configuration.subcommands.reduce(command.helpMessage(includeHidden: true)) { $0 + help(of: $1) }
    }

    /// Shows the options that a help text contains. Private options are in no help text.
    private mutating func showOptions(in help: String) {
        for index in (arguments ?? []).indices {
            let names = arguments?[index].names ?? []
            if names.contains(where: { help.contains($0.text) }) { arguments?[index].shouldDisplay = true }
        }
        for index in (subcommands ?? []).indices { subcommands?[index].showOptions(in: help) }
    }

    /// Returns a page about the program with its commands and options.
    ///
    /// - Parameters:
    ///   - number: The section of the manual.
    ///   - version: The version of the program.
    ///   - sections: The sections that follow the commands and options.
    package func page(number: Int, version: String, sections: [ManualSection]) -> ManualPage {
        let all = (subcommands ?? []).flatMap(\.allOptions)
        let counts = Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +)
        var shared: [Argument] = []
        for option in all where counts[option] ?? 0 > 1 && !shared.contains(option) { shared.append(option) }
        let commands = (subcommands ?? []).flatMap { $0.blocks(after: commandName, sharing: shared) }
        let synopsis = commands.isEmpty ? "\(commandName) [options]" : "\(commandName) command [options]"
        return ManualPage(
            name: commandName, number: number, abstract: abstract ?? "", source: "\(commandName) \(version)",
            sections: [
                ManualSection("SYNOPSIS", [.paragraph(synopsis)]),
                ManualSection("DESCRIPTION", [.paragraph(discussion ?? "")]),
                commands.isEmpty
                    ? ManualSection("OPTIONS", options.map(\.entry)) : ManualSection("COMMANDS", commands),
            ] + (shared.isEmpty ? [] : [ManualSection("COMMON OPTIONS", shared.map(\.entry))]) + sections)
    }

    private var shownArguments: [Argument] {
        (arguments ?? []).filter {
            $0.shouldDisplay ?? true && !($0.names ?? []).contains { ["help", "version"].contains($0.name) }
        }
    }

    private var options: [Argument] { shownArguments.filter { $0.kind != "positional" } }

    private var isShown: Bool { shouldDisplay ?? true && commandName != "help" }

    /// The options of this command and of its subcommands.
    private var allOptions: [Argument] { isShown ? options + (subcommands ?? []).flatMap(\.allOptions) : [] }

    /// Returns the description of this command. Options in `shared` are only named.
    private func blocks(after prefix: String, sharing shared: [Argument]) -> [ManualBlock] {
        guard isShown else { return [] }
        let name = prefix + " " + commandName
        let positional = shownArguments.filter { $0.kind == "positional" }.map { argument in
            let value = "<\(argument.valueName ?? "value")>" + (argument.isRepeating ?? false ? " ..." : "")
            return argument.isOptional ?? false ? "[\(value)]" : value
        }
        let common = options.filter(shared.contains).compactMap { $0.names?.first { $0.kind == "long" }?.text }
        return [
            .subsection(([name] + positional).joined(separator: " ")), .paragraph(abstract ?? ""),
            .paragraph(discussion ?? ""),
        ] + options.filter { !shared.contains($0) }.map(\.entry)
            + (common.isEmpty ? [] : [.paragraph("Common options: \(common.joined(separator: ", ")).")])
            + (subcommands ?? []).flatMap { $0.blocks(after: name, sharing: shared) }
    }
}
