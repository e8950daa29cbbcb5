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
