// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Every test runs")
struct RunningTestsTests {
    @Test("the tests of this project run")
    func tree() {
        let tests = SourceTree.swift(in: "Tests")
        #expect(tests.count > 10)
        #expect(RunningTests.silentFunctions(in: tests) == [])
        #expect(RunningTests.strayFiles(in: tests) == [])
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

    @Test(
        "a test without its attribute is found",
        arguments: [
            "func forgotten() { #expect(a == 1) }",
            "func forgotten() throws { try #require(a) }",
            "@Suite struct A { @Test func a() {} \n func forgotten() { go() } }",
            "struct A { @Test(arguments: [1].map { $0 }) func a(_ b: Int) {} \n func forgotten() { } }",
            "@Test func a() { } \n // forgotten() \n func forgotten() { Issue.record() }",
            "/* @Test */ func forgotten() { #expect(a == 1) }",
        ])
    func silent(_ text: String) {
        let file = SourceFile(path: "Tests/ATests/ATests.swift", text: "import Testing\n" + text)
        #expect(RunningTests.silentFunctions(in: [file]).count == 1)
    }

    @Test(
        "a function called by a test, or a helper outside the suites, is accepted",
        arguments: [
            "@Test(\"func forgotten\") func a() { helper() } \n func helper() { #expect(a == 1) }",
            "@Suite struct A { @Test func a() { #expect(helper()) } \n func helper() -> Bool { true } }",
            "@Test func a() {} \n struct Generator { func next() -> Int { 1 } }",
            "struct A { @Test func a() { #expect(true) } \n @Test func b() { #expect(true) } }",
        ])
    func harmless(_ text: String) {
        let file = SourceFile(path: "Tests/ATests/ATests.swift", text: "import Testing\n" + text)
        #expect(RunningTests.silentFunctions(in: [file]) == [])
    }

    @Test("a misnamed test file and an unused file are found")
    func stray() {
        let user = SourceFile(path: "Tests/ATests/ATests.swift", text: "@Test func a() { Fixture().go() }")
        let rig = SourceFile(path: "Tests/ATests/Fixture.swift", text: "struct Fixture { func go() {} }")
        #expect(RunningTests.strayFiles(in: [user, rig]) == [])
        let unused = SourceFile(path: "Tests/ATests/Old.swift", text: "struct Old { }\n// Fixture")
        #expect(RunningTests.strayFiles(in: [user, rig, unused]).count == 1)
        let misnamed = SourceFile(path: "Tests/ATests/TestA.swift", text: "@Test func b() { }")
        #expect(RunningTests.strayFiles(in: [user, rig, misnamed]).count == 1)
    }

    @Test("a folder missing in the manifest is found")
    func missingTarget() {
        let files = [
            "Sources/Core/A/A.swift", "Sources/Tools/a/A.swift", "Tests/Core/ATests/ATests.swift",
            "Tests/Fixtures/Programs/AChild/A.swift", "Tests/WholeTests/WholeTests.swift", "Tests/Kernel/modules/a.c",
            "Tests/Kernel/modules/Makefile",
        ].map { SourceFile(path: $0, text: "") }
        let manifest = """
            core("A"), tool("a", []), tests(
                "Core/ATests", []), tests("WholeTests", []),
            .executableTarget(name: "a-child", path: "Tests/Fixtures/Programs/AChild")
            """
        #expect(RunningTests.foldersWithoutTarget(in: files, manifest: manifest) == [])
        for (mark, folder) in [
            ("core(\"A\")", "Sources/Core/A"), ("tool(\"a\"", "Sources/Tools/a"), ("ATests\"", "Tests/Core/ATests"),
            ("Programs/AChild", "Tests/Fixtures/Programs/AChild"), ("\"WholeTests\"", "Tests/WholeTests"),
        ] {
            let cut = manifest.replacing(mark, with: "x")
            let found = RunningTests.foldersWithoutTarget(in: files, manifest: cut)
            #expect(found == ["\(folder): no target in Package.swift contains it"])
        }
        let support = manifest.replacing("tests(", with: "support(")
        #expect(RunningTests.foldersWithoutTarget(in: files, manifest: support).count == 2)
    }

    @Test("a target without tests in the mirrored folder is found")
    func mirror() {
        let files = [
            "Sources/Core/A/A.swift", "Sources/Tools/b/B/B.swift", "Tests/Core/ATests/ATests.swift",
            "Tests/Tools/BTests/BTests.swift", "Sources/README.md",
        ].map { SourceFile(path: $0, text: "") }
        #expect(RunningTests.targetsWithoutTests(in: files, besides: []) == [])
        #expect(
            RunningTests.targetsWithoutTests(in: Array(files.dropLast(2)), besides: [])
                == ["Sources/Tools/b: no tests in Tests/Tools/BTests"])
        #expect(RunningTests.targetsWithoutTests(in: Array(files.dropLast(2)), besides: ["Sources/Tools/b"]) == [])
    }
}
