// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import ManualPages
import ToolSupport

/// The `transferctl man` command, which writes a manual page.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "man",
        abstract:
            "Print a manual page. 'transferctl man | man -l -' shows it; 'service install' installs all pages.")

    /// The pages that this program can write.
    enum Page: String, CaseIterable, ExpressibleByArgument {
        case transferctl
        case configuration = "transferd.toml"
    }

    @Argument(
        help: .init("The page: transferctl, or transferd.toml for the daemon's configuration.", valueName: "page"))
    var page = Page.transferctl

    func run() throws {
        switch page {
        case .transferctl: Console.write(try ManualPage.transferctl().text, to: 1)
        case .configuration: Console.write(ManualPage.configuration().text, to: 1)
        }
    }
}
