// SPDX-License-Identifier: Apache-2.0
import Testing
import ToolSupport
import TransferModel

@testable import transferctl

@Suite("The option --user")
struct LoginExpressionTests {
    @Test("The first colon ends the name, and a name alone asks for the password")
    func forms() throws {
        #expect(try LoginExpression("me:p:w").credential == Credential(user: "me", password: "p:w"))
        #expect(try LoginExpression("me:").credential == Credential(user: "me", password: ""))
        #expect(try LoginExpression("me") { $0 + "!" }.credential == Credential(user: "me", password: "me!"))
    }

    @Test("Without a name, a terminal, or printable text, the message names the remedy and no password")
    func faults() {
        let noTerminal = #expect(throws: UsageError.self) { try LoginExpression("me") { _ in nil } }
        #expect(noTerminal?.description.contains("no terminal") == true)
        for text in [":secret", "me:secret\n"] {
            let error = #expect(throws: UsageError.self) { try LoginExpression(text) }
            #expect(error?.description.contains("secret") == false)
        }
    }

    @Test(
        "The password on the command line is hidden, in every spelling of the option",
        arguments: [
            ("me:pw", "--user", 3), ("me:pw", "-u", 3), ("--user=me:pw", "", 10), ("-ume:pw", "", 5), ("me", "-u", nil),
            ("me:pw", "--header", nil), ("--url=me:pw", "", nil), ("-u", "", nil), ("é:pw", "-u", 3),
        ] as [(String, String, Int?)])
    func hidden(argument: String, previous: String, start: Int?) {
        #expect(ArgumentSecrets.secretStart(of: argument, after: previous) == start)
    }
}
