// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Model and Core contain only values")
struct CoreWordsTests {
    @Test("neither contains a banned word", arguments: ["Sources/Model", "Sources/Core"])
    func tree(_ folder: String) {
        let files = SourceTree.swift(in: folder)
        #expect(files.count > 10)
        #expect(CoreWords.violations(in: files) == [])
    }

    @Test("no source takes an absolute value that traps")
    func magnitude() {
        let pattern = Pattern(#"(^|[^.\w])abs\s*\("#)
        #expect(pattern.isIn("guard abs(seconds) < 9"))
        let found = SourceTree.swift(in: "Sources").filter { pattern.isIn($0.text) }.map(\.path)
        #expect(found == [], "abs(Int.min) ends the process; write x.magnitude")
    }

    @Test("no source converts seconds to nanoseconds by a product that traps")
    func nanoseconds() {
        let pattern = Pattern(#"\bU?Int(64)?\(.*\) \* 1_000_000_000"#)
        #expect(pattern.isIn("let end = UInt64(max(0, seconds)) * 1_000_000_000"))
        let found = SourceTree.swift(in: "Sources").filter { pattern.isIn($0.text) }.map(\.path)
        #expect(found == [], "write MonotonicTime.nanoseconds(ofSeconds:), timespec.nanoseconds, or wholeNanoseconds")
    }

    @Test(
        "a banned word is found",
        arguments: [
            "ContinuousClock().now", "Int.random(in: 0...5)", "list.shuffled()", "Task { go() }", "func f() async {}",
            "actor Counter {}", "print(1)", "try! f()", "struct A: @unchecked Sendable {}",
        ])
    func violation(_ text: String) {
        let file = SourceFile(path: "Sources/Core/TransferPolicy/A.swift", text: "func a() {\n    \(text)\n}\n")
        #expect(!CoreWords.violations(in: [file]).isEmpty)
    }
}
