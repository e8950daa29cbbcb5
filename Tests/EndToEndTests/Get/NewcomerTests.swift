// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "Messages for new users",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct NewcomerTests {
    @Test("In a terminal, `add` names the wait reason and the next command; `why` uses local time")
    func submitting() async throws {
        try await DaemonFixture.with { fixture in try await read(fixture) }
    }

    private func read(_ fixture: DaemonFixture) async throws {
        func add(_ urls: String) async throws -> String {
            let terminal = try PseudoTerminal()
            let process = try ChildProcess(
                "/bin/sh", ["-c", "exec \"$0\" add \(urls) --not-before +1d 2> \(terminal.path)", Transferctl.path],
                environment: fixture.program.environment.merging(["TERM": "xterm"]) { $1 },
                output: fixture.program.folder.path + "/numbers", directory: fixture.program.downloads)
            #expect(try await process.wait(within: 120) == 0)
            // The line breaks of the message depend on the length of the date.
            func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
            try await terminal.waitUntil("the command has printed its message") {
                words($0).contains("shows the progress") || words($0).contains("shows the transfers")
            }
            return words(terminal.output)
        }
        let one = try await add("http://127.0.0.1:9/big.iso")
        #expect(one.contains("waiting: not before ") && one.contains("'transferctl watch' shows the progress"))
        #expect(
            try await add("http://127.0.0.1:9/1 http://127.0.0.1:9/2").contains(
                "'transferctl watch' shows the transfers"))
        let numbers = try String(contentsOfFile: fixture.program.folder.path + "/numbers", encoding: .utf8)
        #expect(numbers == "1\n2\n3\n")
        try await waitUntil("the transfer has waited for a second", within: 60) {
            // A loaded machine may skip any second.
            let text = try await fixture.run("why", "1")
            return text.contains("waited so far: not before ") && !text.contains("not before 0:00")
        }
        #expect(try await fixture.run("why", "1").contains("next check by "))
        #expect(!(try await fixture.run("why", "1").contains("Z\n")))
    }
}
