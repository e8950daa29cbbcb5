// SPDX-License-Identifier: Apache-2.0
import Testing
import ToolSupport

@testable import transferctl

@Suite("Mistyped commands")
struct CommandSuggestionTests {
    @Test(
        "The most similar command is suggested",
        arguments: [
            (["lits"], "unknown command 'transferctl lits'; did you mean 'list'?"),
            (["cancle", "7"], "did you mean 'cancel'?"), (["hist"], "did you mean 'history'?"),
            (["xyzzy"], "'transferctl --help' lists the commands"),
            (["http://u:p@h/f?q"], "'http://h/f' is not a command; did you mean 'transferctl get URL'?"),
            (["config", "chek"], "unknown command 'transferctl config chek'; did you mean 'check'?"),
            (["apps", "trsut", "x"], "unknown command 'transferctl apps trsut'; did you mean 'trust'?"),
            (["service", "instal"], "unknown command 'transferctl service instal'; did you mean 'install'?"),
        ])
    func suggestion(arguments: [String], message: String) {
        let error = #expect(throws: UsageError.self) {
            try CommandSuggestion.check(arguments, in: TransferControl.self)
        }
        #expect(error?.description.contains(message) == true, "\(error as Any)")
    }

    @Test("A former command is refused with the command that replaced it", arguments: CommandSuggestion.successors)
    func former(name: String, successor: String) throws {
        for arguments in [[name, "7"], ["help", name]] {
            let error = #expect(throws: UsageError.self) {
                try CommandSuggestion.check(arguments, in: TransferControl.self)
            }
            #expect(error?.description == "'\(name)' is now '\(successor)'")
        }
        let words = successor.split(separator: " ").map(String.init)
        try CommandSuggestion.check(words.filter { $0 != $0.uppercased() }, in: TransferControl.self)
    }

    @Test(
        "Known commands and options pass",
        arguments: [
            [], ["get", "lits"], ["--version"], ["help", "get"], ["list"],
            ["config"], ["config", "--json"], ["config", "check", "f"], ["apps", "help"],
        ])
    func known(arguments: [String]) throws { try CommandSuggestion.check(arguments, in: TransferControl.self) }
}
