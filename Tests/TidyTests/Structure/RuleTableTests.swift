// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("The table of rules and their tests")
struct RuleTableTests {
    private static let folder = "Sources/Client/BackgroundTransfer/BackgroundTransfer.docc/"

    @Test("names every rule and existing tests")
    func tree() throws {
        let sessions = try #require(SourceTree.files.first { $0.path == Self.folder + "Rules.md" })
        #expect(RuleTable.faults(in: sessions.text, files: SourceTree.files) == [])
        let callers = try #require(SourceTree.files.first { $0.path == Self.folder + "SecurityModel.md" })
        #expect(RuleTable.faults(in: callers.text, ids: RuleTable.callerIDs, files: SourceTree.files) == [])
    }
}
