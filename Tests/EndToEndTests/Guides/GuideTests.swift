// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import Testing

/// Tests of the commands that the documents show, run as printed.
@Suite(
    "The guides' commands",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct GuideTests {
    static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    private static let documents = [
        "README.md", "Sources/Tools/transferctl/transferctl.docc/transferctl.md",
        "Sources/Tools/transferctl/transferctl.docc/TransferringFiles.md",
        "Sources/Tools/transferctl/transferctl.docc/ProgramsYouHave.md",
        "Sources/Tools/transferctl/transferctl.docc/WhyATransferWaits.md",
        "Sources/Tools/TransferDaemon/transferd.docc/transferd.md",
        "Sources/Tools/TransferDaemon/transferd.docc/RunningTheDaemon.md",
        "Sources/Tools/transferlab/transferlab.docc/ComparingPolicies.md",
        "Sources/Tools/transferlab/transferlab.docc/ComparingPoliciesOnACluster.md",
    ]

    @Test("They run, and print what the documents show, but for times and numbers", arguments: documents)
    func run(_ document: String) async throws {
        let text = try String(contentsOfFile: Self.top + "/" + document, encoding: .utf8)
        let examples = GuideExample.all(in: text, document: document)
        #expect(!examples.isEmpty)
        let session = try await GuideSession()
        let result: Result<Void, any Error>
        do {
            for example in examples {
                for fault in try await faults(of: example, in: session) { Issue.record("\(fault)") }
            }
            result = .success(())
        } catch { result = .failure(error) }
        await session.end()
        try result.get()
    }

    private func faults(of example: GuideExample, in session: GuideSession) async throws -> [String] {
        if let reason = example.skipReason {
            print("\(example) is not run: \(reason)")
            return []
        }
        let missing = example.needs.filter { !FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0) }
        guard missing.isEmpty else {
            print("\(example) is not run: \(missing.joined(separator: ", ")) is not installed")
            return []
        }
        return try await session.faults(of: example)
    }

    @Test("Commands, output, interrupts and directives are found in a document")
    func parse() throws {
        let text = """
            <!-- Setup: true -->
            <!-- Needs: jq -->
            ```console
            $ a
            one
            ^C
            two
            $ b
            ```
            ```sh
            $ no
            ```
            <!-- Not run: because -->
            ```console
            $ c
            ```
            """
        let examples = GuideExample.all(in: text, document: "A.md")
        #expect(examples.map(\.line) == [3, 14])
        #expect(examples[0].setup == ["true"] && examples[0].needs == ["jq"] && examples[0].skipReason == nil)
        #expect(
            examples[0].commands == [
                .init(text: "a", output: ["one", "two"], interruptAfter: 1), .init(text: "b"),
            ])
        #expect(examples[1].skipReason == "because" && examples[1].setup.isEmpty)
    }

    @Test("A command that prints something else, or fails, is found")
    func wrong() async throws {
        let session = try await GuideSession()
        var example = GuideExample(document: "A.md", line: 1)
        example.commands = [
            .init(text: "echo 12 Mon; echo a b; echo c", output: ["3 Tue", "a…", "…"]),
            .init(text: "echo two", output: ["one"]),
            .init(text: "false"),
        ]
        let result: Result<[String], any Error>
        do { result = .success(try await session.faults(of: example)) } catch { result = .failure(error) }
        await session.end()
        let faults = try result.get()
        #expect(faults.count == 2 && faults[0].contains("'echo two'") && faults[1].contains("'false' ended with 1"))
    }
}
