// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import Testing

@Suite(
    "What a newcomer reads", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct NewcomerTests {
    @Test("In a terminal `add` says why a transfer waits and what shows it; `why` says it in words and local time")
    func handingOver() async throws {
        let rig = try await DaemonRig()
        let result: Result<Void, any Error>
        do { result = .success(try read(rig)) } catch { result = .failure(error) }
        await rig.end()
        try result.get()
    }

    private func read(_ rig: DaemonRig) throws {
        func add(_ urls: String) throws -> String {
            let terminal = try PseudoTerminal()
            let process = try ChildProcess(
                "/bin/sh", ["-c", "exec \"$0\" add \(urls) --not-before +1d 2> \(terminal.path)", Transferctl.path],
                environment: rig.program.environment.merging(["TERM": "xterm"]) { $1 },
                output: rig.program.folder.path + "/numbers", directory: rig.program.downloads)
            #expect(try process.wait(within: 120) == 0)
            try waitUntil("it has said something", within: 60) { terminal.output.contains("watch") }
            return terminal.output
        }
        let one = try add("http://127.0.0.1:9/big.iso")
        #expect(one.contains("waits: not before ") && one.contains("'transferctl watch' shows it"))
        #expect(try add("http://127.0.0.1:9/1 http://127.0.0.1:9/2").contains("'transferctl watch' shows them"))
        let numbers = try String(contentsOfFile: rig.program.folder.path + "/numbers", encoding: .utf8)
        #expect(numbers == "1\n2\n3\n")
        try waitUntil("it has waited for a second", within: 60) {
            try rig.run("why", "1").contains("waited so far: not before 0:01")
        }
        #expect(try rig.run("why", "1").contains("next look at the latest: "))
        #expect(!(try rig.run("why", "1").contains("Z\n")))
    }
}
