// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TransferBus

@Suite("Facts about real processes")
struct ProcessFactsTests {
    @Test("This process has the daemon's files, its user, and its own words")
    func own() throws {
        let handle = try #require(ProcessHandle(of: getpid()))
        let facts = try #require(ProcessFacts.read(of: getpid(), handle: handle))
        #expect(facts.hasSameFiles)
        #expect(facts.isSameUser)
        #expect(facts.flatpakInfo == nil)
        #expect(facts.arguments.first == CommandLine.arguments.first)
        #expect(facts.workingFolder == FileManager.default.currentDirectoryPath)
    }

    @Test("A process that has ended has no facts, and its number proves nothing")
    func ended() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/cat")
        process.standardInput = Pipe()
        try process.run()
        let number = process.processIdentifier
        let handle = try #require(ProcessHandle(of: number))
        #expect(handle.isRunning)
        #expect(ProcessFacts.read(of: number, handle: handle)?.program == "cat")
        process.terminate()
        process.waitUntilExit()
        #expect(!handle.isRunning)
        #expect(ProcessFacts.read(of: number, handle: handle) == nil)
        #expect(ProcessHandle(of: -1) == nil)
    }

    @Test(
        "A root of its own is seen, and a pipe for .flatpak-info makes nobody wait",
        .enabled(if: geteuid() == 0, "only root may change a process's root folder"))
    func otherRoot() throws {
        var template = Array((NSTemporaryDirectory() + "root-XXXXXX").utf8CString)
        let root = String(cString: try #require(mkdtemp(&template)))
        defer { try? FileManager.default.removeItem(atPath: root) }
        try #require(mkfifo(root + "/.flatpak-info", 0o600) == 0)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [
            "-c", "import os,sys; os.chroot(sys.argv[1]); print('in', flush=True); sys.stdin.read()", root,
        ]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        defer {
            input.fileHandleForWriting.closeFile()
            process.waitUntilExit()
        }
        _ = output.fileHandleForReading.availableData
        let handle = try #require(ProcessHandle(of: process.processIdentifier))
        let facts = try #require(ProcessFacts.read(of: process.processIdentifier, handle: handle))
        #expect(facts.hasSameRoot == false && !facts.hasSameFiles)
        #expect(facts.flatpakInfo == "")
    }
}
