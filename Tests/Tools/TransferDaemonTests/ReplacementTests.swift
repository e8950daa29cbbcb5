// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Logging
import Synchronization
import Testing

@testable import TransferDaemon

@Suite("P3: a daemon whose program is replaced", .timeLimit(.minutes(1)))
struct ReplacementTests {
    /// A folder with a program, which is a shell script.
    private final class Folder: Sendable {
        let path: String
        var program: String { path + "/program" }

        init() throws {
            path = NSTemporaryDirectory() + "replacement-\(UUID().uuidString.prefix(8))"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try install("exit 0")
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        /// Installs another script, as a package manager does.
        func install(_ script: String) throws {
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: program + ".new"))
            chmod(program + ".new", 0o755)
            #expect(rename(program + ".new", program) == 0)
        }
    }

    /// The reasons and versions that a watch has checked, and the outcomes of the checks, in order.
    private final class Checks: Sendable {
        private let outcomes: Mutex<[ReplacementCheck.Outcome]>
        private let waiting = Mutex<[(count: Int, continuation: CheckedContinuation<Void, Never>)]>([])
        private let count = Mutex(0)

        init(_ outcomes: [ReplacementCheck.Outcome]) { self.outcomes = Mutex(outcomes) }

        func next() -> ReplacementCheck.Outcome {
            let number = count.withLock { count in
                count += 1
                return count
            }
            let ready = waiting.withLock { waiting in
                defer { waiting.removeAll { $0.count <= number } }
                return waiting.filter { $0.count <= number }
            }
            for entry in ready { entry.continuation.resume() }
            return outcomes.withLock { $0.isEmpty ? .refused("no outcome is left") : $0.removeFirst() }
        }

        /// Returns after the given number of checks.
        func wait(for number: Int) async {
            await withCheckedContinuation { continuation in
                let isDone = waiting.withLock { waiting in
                    guard count.withLock({ $0 }) < number else { return true }
                    waiting.append((number, continuation))
                    return false
                }
                if isDone { continuation.resume() }
            }
        }
    }

    private func watch(_ program: ProgramFile?, _ checks: Checks, retryTime: Duration = .seconds(1000))
        -> ReplacementWatch
    {
        ReplacementWatch(
            program: program, quietTime: .zero, retryTime: retryTime, logger: Logger(label: "test"),
            check: { _ in checks.next() })
    }

    @Test("a file that was renamed over the program, and one that was written again, replace it; its removal does not")
    func file() throws {
        let folder = try Folder()
        let program = try #require(ProgramFile(at: folder.program))
        #expect(!program.isReplaced)
        try folder.install("exit 0")
        #expect(program.isReplaced)
        try FileManager.default.removeItem(atPath: folder.program)
        #expect(!program.isReplaced)
        #expect(ProgramFile()?.isReplaced == false)
    }

    @Test("an accepted program ends the watch")
    func accepted() async throws {
        let folder = try Folder()
        let watch = watch(ProgramFile(at: folder.program), Checks([.accepted("2")]))
        #expect(watch.replacement == nil)
        async let end: Void = watch.run()
        try folder.install("exit 1")
        try await end
        #expect(watch.replacement == folder.program)
    }

    @Test("a refused program is left alone until it is replaced again")
    func refused() async throws {
        let folder = try Folder()
        let checks = Checks([.refused("too old"), .accepted("2")])
        let watch = watch(ProgramFile(at: folder.program), checks)
        try folder.install("exit 1")
        async let end: Void = watch.run()
        await checks.wait(for: 1)
        #expect(watch.replacement == nil)
        try folder.install("exit 2")
        try await end
        #expect(watch.replacement == folder.program)
    }

    @Test("a refused program is checked again, because a part of its package may have been missing")
    func retried() async throws {
        let folder = try Folder()
        let checks = Checks([.refused("no library"), .refused("no library"), .accepted("2")])
        let watch = watch(ProgramFile(at: folder.program), checks, retryTime: .zero)
        try folder.install("exit 1")
        try await watch.run()
        #expect(watch.replacement == folder.program)
    }

    @Test(
        "the check runs the program with the daemon's arguments and --check",
        arguments: [
            (#"[ "$*" = "--state-dir s --check" ] && echo 2.0.0"#, ReplacementCheck.Outcome.accepted("2.0.0")),
            ("echo 'transferd: the queue is newer' >&2; exit 2", .refused("transferd: the queue is newer")),
            ("exit 7", .refused("it ended with status(7)")),
        ])
    func check(script: String, outcome: ReplacementCheck.Outcome) async throws {
        let folder = try Folder()
        try folder.install(script)
        let check = ReplacementCheck(arguments: ["transferd", "--state-dir", "s"])
        #expect(await check.outcome(of: folder.program) == outcome)
    }

    @Test("a program that hangs, and a file that is no program, are refused")
    func hangs() async throws {
        let folder = try Folder()
        try folder.install("exec sleep 100")
        var check = ReplacementCheck(arguments: ["transferd"])
        check.patience = .milliseconds(10)
        #expect(await check.outcome(of: folder.program) == .refused("it did not answer in time"))
        try Data([0x7F, 0x45]).write(to: URL(filePath: folder.program))
        guard case .refused = await check.outcome(of: folder.program) else {
            Issue.record("a part of a program was accepted")
            return
        }
    }

    @Test("a lock is kept by the program that continues, and says while its owner is not on the bus")
    func lock() throws {
        let folder = try Folder()
        func contents() throws -> String {
            try String(contentsOfFile: folder.path + "/transferd.lock", encoding: .utf8)
        }
        let lock = try StateLock(folder: folder.path)
        #expect(try contents() == "changing\n")
        lock.setChanging(false)
        #expect(try contents() == "")
        let kept = dup(lock.descriptor)
        let continued = try StateLock(folder: folder.path, continuing: kept)
        #expect(continued.descriptor == kept)
        #expect(fcntl(kept, F_GETFD) & FD_CLOEXEC != 0)
        // The number of another file is not mistaken for the lock.
        let other = open("/dev/null", O_RDONLY)
        #expect(try StateLock(folder: folder.path, continuing: other).descriptor != other)
        close(other)
    }
}
