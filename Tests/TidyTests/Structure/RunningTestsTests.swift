// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Every test runs")
struct RunningTestsTests {
    @Test("the tests of this project run")
    func tree() {
        let tests = SourceTree.swift(in: "Tests")
        #expect(tests.count > 10)
        #expect(RunningTests.silentFunctions(in: tests) == [])
        let forgotten = "struct A {\n    func forgotten() { #expect(true) }\n\n    @Test func a() {}\n}\n"
        let file = SourceFile(path: "Tests/ATests/ATests.swift", text: forgotten)
        #expect(RunningTests.silentFunctions(in: [file]).count == 1)
    }

    @Test("every folder of sources and tests is a target")
    func targets() throws {
        let manifest = try #require(SourceTree.files.first { $0.path == "Package.swift" })
        #expect(RunningTests.foldersWithoutTarget(in: SourceTree.files, manifest: manifest.text) == [])
    }

    @Test("every target has tests in its mirrored folder")
    func targetsHaveTests() {
        let exceptions: Set = [
            // A sample, and harnesses that the embedded engine's tests consist of.
            "Sources/Samples/podcasts", "Sources/Testing/SessionHarnesses",
            // HTTPExecutorTests run over both transports.
            "Sources/Adapters/URLSessionTransport",
        ]
        #expect(RunningTests.targetsWithoutTests(in: SourceTree.files, besides: exceptions) == [])
    }
}
