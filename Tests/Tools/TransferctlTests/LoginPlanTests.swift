// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import transferctl

@Suite("User name and password on the command line")
struct LoginPlanTests {
    private func specification(_ arguments: [String]) throws -> GetPlan.Item {
        let command = try GetCommand.parse(arguments + ["--state-dir", "/tmp/unused"])
        return try #require(
            try GetPlan(command: command, now: WallTime(secondsSinceEpoch: 1_795_392_000)).items.first)
    }

    @Test("Moves the user name and password of a URL into the credential, unescaped")
    func url() throws {
        let item = try specification(["http://me:p%40%3Ass@h/f"]).specification
        #expect(item.credential == Credential(user: "me", password: "p@:ss"))
        #expect(item.url == "http://h/f")
        #expect(item.headers.isEmpty)
        #expect(!item.asksForCredentials)
    }

    @Test("A different user identifies a different transfer")
    func key() throws {
        let keys = try ["", "a:b@", "a:c@"].map { try specification(["http://\($0)h/f"]).key }
        #expect(Set(keys).count == 3)
    }
}
