// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Doc comments begin with the noun or the verb")
struct ProseTests {
    @Test("this project follows the rule")
    func tree() {
        let ours = ["Sources", "Tests", "Benchmarks"].flatMap { SourceTree.swift(in: $0) }
        #expect(Prose.relativeClauses(in: ours) == [])
    }

    @Test(
        "a relative clause is found, also in a continuation line",
        arguments: ["What runs.", "Whose it is", "Of which, how"])
    func found(_ text: String) {
        let file = SourceFile(path: "Sources/A.swift", text: "    /// A thing.\n    /// \(text)\n")
        #expect(Prose.relativeClauses(in: [file]).first?.hasPrefix("Sources/A.swift:2: ") == true)
    }

    @Test(
        "nouns, verbs, code, and plain comments are accepted",
        arguments: ["/// Whatever", "// What", "/// `What`", "///What"])
    func leftAlone(_ line: String) {
        #expect(Prose.relativeClauses(in: [SourceFile(path: "Sources/A.swift", text: line)]) == [])
    }
}
