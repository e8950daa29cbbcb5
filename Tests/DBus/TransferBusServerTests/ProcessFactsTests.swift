// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferBusProtocol

@testable import TransferBusServer

@Suite("Facts about real processes")
struct ProcessFactsTests {
    @Test("This process has the same files and user as the daemon, and its own arguments")
    func own() throws {
        let handle = try #require(ProcessHandle(of: getpid()))
        let facts = try #require(ProcessFacts.read(of: getpid(), handle: handle))
        #expect(facts.hasSameFiles)
        #expect(facts.isSameUser)
        #expect(facts.flatpakInfo == nil)
        #expect(facts.arguments.first == CommandLine.arguments.first)
        #expect(facts.workingFolder == FileManager.default.currentDirectoryPath)
    }

    /// Starts a program that runs until it is killed. Foundation's `Process` would wait for the end on a thread that
    /// the tests share.
    private static func spawn(_ words: [String]) throws -> pid_t {
        var arguments = words.map { strdup($0) } + [nil]
        defer { for pointer in arguments { free(pointer) } }
        var process: pid_t = 0
        try #require(posix_spawn(&process, words[0], nil, nil, &arguments, environ) == 0)
        return process
    }

    private static func end(_ process: pid_t) {
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    @Test("An ended process has no facts, and its process id proves nothing")
    func ended() throws {
        let process = try Self.spawn(["/bin/sleep", "600"])
        let handle = try #require(ProcessHandle(of: process))
        #expect(handle.isRunning)
        #expect(ProcessFacts.read(of: process, handle: handle)?.isSameUser == true)
        Self.end(process)
        #expect(!handle.isRunning)
        #expect(ProcessFacts.read(of: process, handle: handle) == nil)
        #expect(ProcessHandle(of: -1) == nil)
    }

    @Test(
        "Another root folder is detected, and a pipe named .flatpak-info does not block",
        .enabled(if: geteuid() == 0, "only root may change a process's root folder"))
    func otherRoot() async throws {
        var template = Array((NSTemporaryDirectory() + "root-XXXXXX").utf8CString)
        let root = String(cString: try #require(mkdtemp(&template)))
        defer { try? FileManager.default.removeItem(atPath: root) }
        try #require(mkfifo(root + "/.flatpak-info", 0o600) == 0)
        let process = try Self.spawn([
            "/usr/bin/python3", "-c",
            "import os,sys,time; os.chroot(sys.argv[1]); os.mkdir('/in'); time.sleep(600)", root,
        ])
        defer { Self.end(process) }
        while !FileManager.default.fileExists(atPath: root + "/in") { await Task.yield() }
        let handle = try #require(ProcessHandle(of: process))
        let facts = try #require(ProcessFacts.read(of: process, handle: handle))
        #expect(facts.hasSameRoot == false && !facts.hasSameFiles)
        #expect(facts.flatpakInfo == "")
    }
}
