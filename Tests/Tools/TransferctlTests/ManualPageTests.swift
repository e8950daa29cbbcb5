// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Testing

@testable import transferctl

@Suite struct ManualPageTests {
    @Test("The manual page tells of every command and its options, and nothing in it is roff's by accident")
    func page() throws {
        let page = try ManualPage.text()
        for command in TransferControl.configuration.subcommands {
            let name = command.configuration.commandName ?? ""
            #expect(page.contains(".SS transferctl \(name.replacing("-", with: "\\-"))"), "\(name)")
        }
        #expect(page.contains(".B \\-\\-not\\-before <time>"))
        #expect(!page.contains("sysfs"), "what is hidden is not told")
        for line in page.split(separator: "\n") where line.hasPrefix(".") {
            let macros = [".\\\"", ".TH", ".SH", ".SS", ".PP", ".TP", ".B ", ".I "]
            #expect(macros.contains { line.hasPrefix($0) }, "\(line)")
        }
    }
}
