// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Testing

@testable import transferctl

@Suite struct ManualPageTests {
    @Test("The manual page describes every command and option, and contains no accidental roff requests")
    func page() throws {
        let page = try ManualPage.text()
        for command in TransferControl.configuration.subcommands {
            let name = command.configuration.commandName ?? ""
            #expect(page.contains(".SS transferctl \(name.replacing("-", with: "\\-"))"), "\(name)")
        }
        #expect(page.contains(".B \\-\\-not\\-before <time>"))
        #expect(!page.contains("sysfs"), "hidden options are left out")
        for line in page.split(separator: "\n") where line.hasPrefix(".") {
            let macros = [".\\\"", ".TH", ".SH", ".SS", ".PP", ".TP", ".B ", ".I "]
            #expect(macros.contains { line.hasPrefix($0) }, "\(line)")
        }
    }
}
