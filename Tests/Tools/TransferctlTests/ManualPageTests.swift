// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ManualPages
import Testing
import ToolSupport

@testable import transferctl

@Suite struct ManualPageTests {
    @Test("The manual page describes every command and option")
    func page() throws {
        let page = try ManualPage.transferctl().text
        for command in TransferControl.configuration.subcommands {
            let name = command.configuration.commandName ?? ""
            #expect(page.contains(".SS transferctl \(name.replacing("-", with: "\\-"))"), "\(name)")
        }
        #expect(page.split(separator: ".B \\-\\-not\\-before <time>").count == 2, "each option is described once")
        #expect(page.contains(".B \\-\\-insecure") || page.contains(", \\-\\-insecure"), "rare options are described")
        #expect(!page.contains("sysfs"), "options for tests are left out")
    }

    @Test("The help of each command fits two screens")
    func help() {
        func check(_ command: any ParsableCommand.Type) {
            let lines = command.helpMessage(columns: 80).split(separator: "\n", omittingEmptySubsequences: false).count
            #expect(lines <= 100, "\(command): \(lines)")
            for subcommand in command.configuration.subcommands { check(subcommand) }
        }
        check(TransferControl.self)
    }

    @Test("The pages have the usual sections, in the usual order, and no accidental roff requests")
    func sections() throws {
        let usual = ["NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "SEE ALSO"]
        for page in [try ManualPage.transferctl(), ManualPage.configuration()] {
            let titles = page.text.split(separator: "\n").filter { $0.hasPrefix(".SH ") }.map {
                String($0.dropFirst(4))
            }
            #expect(titles.filter(usual.contains) == usual, "\(page.name)")
            for line in page.text.split(separator: "\n") where line.hasPrefix(".") {
                let macros = [".\\\"", ".TH", ".SH", ".SS", ".PP", ".TP", ".B ", ".in", ".EX", ".EE"]
                #expect(macros.contains { line.hasPrefix($0) }, "\(line)")
            }
        }
        let titles = try ManualPage.transferctl().sections.map(\.title)
        #expect(titles.contains("EXIT STATUS") && titles.contains("ENVIRONMENT") && titles.contains("FILES"))
    }

    @Test("The command line accepts the examples", arguments: ManualPage.transferctlExamples.map(\.command))
    func example(_ text: String) throws {
        for line in text.split(separator: "\n") {
            let command = line.split(separator: " && ")[0]
            #expect(command.hasPrefix("transferctl "))
            _ = try TransferControl.parseAsRoot(Self.arguments(of: command))
        }
    }

    @Test("The page of the configuration describes every key, and the file accepts its example")
    func configuration() throws {
        let page = ManualPage.configuration().text
        for key in DaemonConfiguration.keys {
            #expect(page.contains(".B \(key.name.replacing("-", with: "\\-"))\n"), "\(key.name)")
        }
        let configuration = try DaemonConfiguration(ManualPage.configurationExample, path: "example")
        #expect(configuration.billingDay == 15 && configuration.connectionBudgets == ["Phone": 2_000_000_000])
    }

    /// Splits a command line as a shell does, with double quotes only, and drops the program's name.
    private static func arguments(of command: Substring) -> [String] {
        command.split(separator: "\"", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
            index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
        }.dropFirst().map { $0 }
    }
}
