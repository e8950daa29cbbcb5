// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ManualPages
import Testing

@Suite("The manual page of a program")
struct CommandDescriptionTests {
    private struct Root: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "root", abstract: "Does things.", discussion: "First.\n\n.Second",
            subcommands: [Child.self, Other.self])
    }

    private struct Child: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "child", abstract: "Does one thing.")

        @Option(help: .init("The size.", valueName: "bytes"))
        var size = 7

        @Flag(name: .shortAndLong, help: "Says less.")
        var quiet = false

        @Flag(help: .init("Not shown.", visibility: .hidden))
        var secret = false

        @Argument(help: "The names.")
        var name: [String] = []
    }

    private struct Other: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "other", abstract: "Does another.")

        @Flag(name: .shortAndLong, help: "Says less.")
        var quiet = false
    }

    @Test("describes commands, options with their defaults once, and arguments, but no hidden options")
    func text() throws {
        let page = try CommandDescription.root(Root.self).page(
            number: 1, version: "2.0", sections: [ManualSection("EXAMPLES", [.example("root child a-b", "Do it.")])])
        #expect(
            page.text == """
                .\\" Generated from the program's help.
                .TH ROOT 1 "" "root 2.0"
                .SH NAME
                root \\- does things
                .SH SYNOPSIS
                .PP
                root command [options]
                .SH DESCRIPTION
                .PP
                First.
                .PP
                \\&.Second
                .SH COMMANDS
                .SS root child [<name> ...]
                .PP
                Does one thing.
                .TP
                .B \\-\\-size <bytes>
                The size. (default: 7)
                .PP
                Common options: \\-\\-quiet.
                .SS root other
                .PP
                Does another.
                .PP
                Common options: \\-\\-quiet.
                .SH COMMON OPTIONS
                .TP
                .B \\-\\-quiet, \\-q
                Says less.
                .SH EXAMPLES
                .PP
                Do it.
                .PP
                .in +4n
                .EX
                root child a\\-b
                .EE
                .in

                """)
    }
}
