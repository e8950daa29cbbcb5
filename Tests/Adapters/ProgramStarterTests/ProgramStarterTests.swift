// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProgramStarter
import Synchronization
import Testing
import TransferModel
import TransferSessions

@Suite("Starting programs for their sessions")
struct ProgramStarterTests {
    /// A starter that waits until the program has ended, however long that takes.
    private static let patient = ProgramStarter(sleep: { _ in try await Task.sleep(for: .seconds(3600)) })

    private func output(_ script: String, starter: ProgramStarter = patient) async throws -> String {
        let path = NSTemporaryDirectory() + "program-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let outcome = await starter.start(["/bin/sh", "-c", script, "sh", path], of: "app", for: "s'1 ä")
        guard case .started = outcome else { return "\(outcome)" }
        return try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    @Test("A program receives its session and no open files")
    func environment() async throws {
        #expect(try await output(#"echo "$BACKGROUND_TRANSFER_SESSION" > "$1""#) == "s'1 ä")
        // In addition to the standard files, `ls` has its own files open.
        let opened = open("/dev/null", O_RDONLY)
        defer { close(opened) }
        let numbers = try await output(#"ls /proc/$$/fd > "$1""#).split(separator: "\n").compactMap { Int($0) }
        #expect(numbers.filter { $0 <= 2 } == [0, 1, 2])
        #expect(!numbers.contains(Int(opened)))
    }

    @Test("A program leads its own session, with no signal ignored or blocked")
    func session() async throws {
        let words = try await output(#"cut -d ' ' -f 6 /proc/$$/stat > "$1"; echo $$ >> "$1""#).split(separator: "\n")
        #expect(words.count == 2 && words.first == words.last)
        let signals = try await output(#"grep -E '^Sig(Blk|Ign)' /proc/self/status > "$1""#)
        // The signals that a program may use; glibc reserves two more.
        let masks = signals.split(separator: "\n").compactMap {
            $0.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) }
        }
        #expect(masks.count == 2 && masks.allSatisfy { $0 & 0x7FFF_FFFF == 0 }, "\(signals)")
    }

    @Test("Variables of the service manager are not passed on")
    func supervisor() async throws {
        let starter = ProgramStarter(
            environment: { ["NOTIFY_SOCKET": "/x", "LANG": "C"] },
            sleep: { _ in try await Task.sleep(for: .seconds(3600)) })
        #expect(try await output(#"echo "${NOTIFY_SOCKET-none} $LANG" > "$1""#, starter: starter) == "none C")
    }

    @Test(
        "A program that does not exist or cannot be executed is missing",
        arguments: [
            ("/nonexistent/program", "No such file"), ("/", "Permission denied"),
        ])
    func missing(program: String, words: String) async {
        guard case .missing(let why) = await Self.patient.start([program], of: "app", for: "s") else {
            Issue.record("\(program) was started")
            return
        }
        #expect(why.contains(program) && why.contains(words), "\(why)")
    }

    @Test(
        "A program that fails immediately has crashed",
        arguments: [("exit 3", "status 3"), ("kill -SEGV $$", "signal 11"), ("kill -KILL $$", "signal 9")])
    func crashed(script: String, words: String) async {
        let outcome = await Self.patient.start(["/bin/sh", "-c", script], of: "app", for: "s")
        guard case .crashed(let why) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(why.contains(words), "\(why)")
    }

    @Test("A running program is recorded before others can see it, and removed after its end")
    func runs() async throws {
        let recorded = Mutex<[String]>([])
        let forgotten = AsyncStream.makeStream(of: Int32.self)
        let starter = ProgramStarter(
            record: { app, start in
                recorded.withLock { $0.append(app) }
                return try start()
            }, forget: { forgotten.continuation.yield($0) }, sleep: { _ in })
        let outcome = await starter.start(["/bin/sleep", "1000"], of: "app", for: "s")
        guard case .started(let process?) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(recorded.withLock { $0 } == ["app"])
        kill(process, SIGKILL)
        for await ended in forgotten.stream {
            #expect(ended == process)
            break
        }
    }
}
