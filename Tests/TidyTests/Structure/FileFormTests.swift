// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@Suite("Form of files")
struct FileFormTests {
    private static let git = tracked(["Package.swift"])

    @Test("this project follows the rule")
    func tree() {
        #expect(SourceTree.files.count > 50)
        #expect(FileForm.withoutLicenceLine(in: SourceTree.files) == [])
        #expect(FileForm.tooLong(in: SourceTree.files) == [])
        let ours = SourceTree.files.filter { $0.path != "LICENSE" }
        #expect(FileForm.unfinishedWork(in: ours) == [])
        #expect(FileForm.machinePaths(in: ours) == [])
    }

    @Test(
        "required files exist", arguments: ["LICENSE", "README.md", "CHANGELOG.md", "Sources/README.md"])
    func present(_ path: String) throws {
        let file = try #require(SourceTree.files.first { $0.path == path })
        #expect(file.text.count > 200)
    }

    @Test("resolved package versions are not in git", .enabled(if: git != nil, "not in a git checkout"))
    func resolved() {
        #expect(Self.git == "Package.swift\n")
        #expect(Self.tracked(["Package.resolved", "*/Package.resolved"]) == "")
    }

    @Test(
        "a file without its license line is found",
        arguments: [
            ("Sources/A/B/C.swift", "import X\n"),
            ("Sources/A/B/C.swift", "\n// SPDX-License-Identifier: Apache-2.0\n"),
            ("Sources/A/B/C.swift", "// SPDX-License-Identifier: MIT\n"),
            ("Sources/A/B/c.h", ""), ("Sources/A/B/c.c", "/* SPDX-License-Identifier: Apache-2.0 */\n"),
            ("Package.swift", "// swift-tools-version: 6.2\nimport X\n"), (".ci/run", "#!/bin/sh\nexit\n"),
            ("Tests/VirtualLaptop/modules/a.c", "// SPDX-License-Identifier: Apache-2.0\n"),
            ("Tests/A/fixture.py", "#!/usr/bin/env python3\n\n# SPDX-License-Identifier: Apache-2.0\n"),
        ])
    func licence(_ sample: (path: String, text: String)) {
        #expect(FileForm.withoutLicenceLine(in: [SourceFile(path: sample.path, text: sample.text)]).count == 1)
    }

    @Test("an overlong file is found")
    func length() {
        let lines = String(repeating: "a\n", count: FileForm.longest)
        #expect(FileForm.tooLong(in: [SourceFile(path: "Sources/A/B/C.swift", text: lines)]) == [])
        #expect(FileForm.tooLong(in: [SourceFile(path: "Sources/A/B/C.swift", text: lines + "b\n")]).count == 1)
    }

    @Test("unfinished work is found", arguments: ["// TO" + "DO: later", "/* FIX" + "ME */", "let a = 1 // XX" + "X"])
    func unfinished(_ text: String) {
        #expect(FileForm.unfinishedWork(in: [SourceFile(path: "Sources/A/B/C.swift", text: "\n" + text)]).count == 1)
    }

    @Test(
        "a path of a particular machine is found", arguments: ["/wo" + "rk/x", "/ro" + "ot/x", "\"/ho" + "me/me/x\""])
    func machinePath(_ text: String) {
        #expect(FileForm.machinePaths(in: [SourceFile(path: ".ci/run", text: text)]).count == 1)
    }

    @Test("similar text is allowed")
    func harmless() {
        let text = "mktemp -d /tmp/a.XX" + "XXXX\nlet METHO" + "DO = 1\n/network/x /tmp/homes"
        let file = SourceFile(path: "Sources/A/B/C.swift", text: text)
        #expect(FileForm.unfinishedWork(in: [file]) == [])
        #expect(FileForm.machinePaths(in: [file]) == [])
    }

    /// Returns the lines of `git ls-files` for `paths`, or `nil` without git or outside a git checkout.
    private static func tracked(_ paths: [String]) -> String? {
        let git = Process()
        let output = Pipe()
        git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        git.arguments =
            ["git", "-c", "safe.directory=*", "-C", SourceTree.top.path, "ls-files", "--"] + paths
        git.standardOutput = output
        git.standardError = FileHandle.nullDevice
        guard (try? git.run()) != nil else { return nil }
        let found = output.fileHandleForReading.readDataToEndOfFile()
        git.waitUntilExit()
        return git.terminationStatus == 0 ? String(decoding: found, as: UTF8.self) : nil
    }
}
