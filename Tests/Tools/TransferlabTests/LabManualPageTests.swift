// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ManualPages
import Testing

@testable import transferlab

@Suite("The manual page of transferlab")
struct LabManualPageTests {
    @Test("describes every command")
    func page() throws {
        let page = try ManualPage.transferlab().text
        for command in TransferLab.configuration.subcommands {
            #expect(page.contains(".SS transferlab \(command.configuration.commandName ?? "")"))
        }
    }

    @Test("contains examples that the command line accepts", arguments: ManualPage.transferlabExamples.map(\.command))
    func example(_ command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        #expect(words.first == "transferlab")
        _ = try TransferLab.parseAsRoot(Array(words.dropFirst()))
    }
}
