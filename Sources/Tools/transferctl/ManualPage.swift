// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import ToolSupport

/// The `transferctl man` command, which writes a manual page made from the commands' help.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "man",
        abstract: "Write the manual page: 'transferctl man | man -l -'. 'service install' puts it where man looks.")

    func run() throws { Console.write(try ManualPage.text(), to: 1) }
}

/// The manual page, in man(7) macros.
enum ManualPage {
    /// The fields of ArgumentParser's description that the page needs.
    private struct Tool: Decodable {
        var command: Command
    }

    private struct Command: Decodable {
        var commandName: String
        var abstract: String?
        var discussion: String?
        var shouldDisplay: Bool?
        var subcommands: [Command]?
        var arguments: [Argument]?
    }

    private struct Argument: Decodable {
        struct Name: Decodable {
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
    }

    /// Returns the text of the page.
    static func text() throws -> String {
        let tool = try JSONDecoder().decode(Tool.self, from: Data(TransferControl._dumpHelp().utf8))
        let root = tool.command
        var lines = [
            ".\\\" Made by 'transferctl man'.", ".TH TRANSFERCTL 1 \"\" \"transferctl \(TransferControl.version)\"",
            ".SH NAME",
            "transferctl \\- \(escaped(root.abstract ?? ""))", ".SH SYNOPSIS", ".B transferctl", ".I command",
            "[options]",
            ".SH DESCRIPTION",
        ]
        lines += paragraphs(root.discussion)
        lines.append(".SH COMMANDS")
        for command in root.subcommands ?? [] { lines += self.lines(of: command, after: "transferctl") }
        lines += [
            ".SH FILES", ".TP", ".I $XDG_CONFIG_HOME/transferd/config.toml",
            "The daemon's configuration; 'transferctl policy show \\-\\-defaults' prints every key.", ".TP",
            ".I $XDG_STATE_HOME/transferd/", "The queue and what is partly there.", ".TP",
            ".I $XDG_CACHE_HOME/transferd/", "Files that nobody named a folder for.",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(of command: Command, after prefix: String) -> [String] {
        guard command.shouldDisplay ?? true, command.commandName != "help" else { return [] }
        let name = prefix + " " + command.commandName
        let arguments = (command.arguments ?? []).filter {
            $0.shouldDisplay ?? true && !($0.names ?? []).contains { ["help", "version"].contains($0.name) }
        }
        let positional = arguments.filter { $0.kind == "positional" }.map { argument in
            let value = "<\(argument.valueName ?? "value")>" + (argument.isRepeating ?? false ? " ..." : "")
            return argument.isOptional ?? false ? "[\(value)]" : value
        }
        var lines = [".SS \(escaped(([name] + positional).joined(separator: " ")))"]
        lines += paragraphs(command.abstract) + paragraphs(command.discussion)
        for argument in arguments where argument.kind != "positional" {
            let names = (argument.names ?? []).map(\.text).joined(separator: ", ")
            let value = argument.kind == "option" ? " <\(argument.valueName ?? "value")>" : ""
            let isDefaultTold = argument.defaultValue.map { !$0.isEmpty } ?? false
            lines += [".TP", ".B \(escaped(names + value))"]
            lines.append(
                escaped((argument.abstract ?? "") + (isDefaultTold ? " (default: \(argument.defaultValue ?? ""))" : ""))
            )
        }
        for subcommand in command.subcommands ?? [] { lines += self.lines(of: subcommand, after: name) }
        return lines
    }

    private static func paragraphs(_ text: String?) -> [String] {
        let parts = (text ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return parts.isEmpty || parts == [""] ? [] : [".PP"] + parts.map { $0.isEmpty ? ".PP" : escaped($0) }
    }

    /// Escapes text that roff would interpret: backslashes, hyphens, and a dot or quote at the start of a line.
    private static func escaped(_ text: String) -> String {
        let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }
}
