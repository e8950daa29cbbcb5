// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
import Foundation
import Glibc
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct UploadSourceTests {
        /// A change that another program makes to the file.
        enum Change: CaseIterable {
            case vanished, shrank, grew, touched, replacedByFolder

            func happen(to path: String) throws {
                switch self {
                case .vanished: unlink(path)
                case .shrank: truncate(path, 10)
                case .grew:
                    let file = try #require(FileHandle(forWritingAtPath: path))
                    try file.seekToEnd()
                    try file.write(contentsOf: Data([1]))
                case .touched:
                    utimes(path, nil)
                case .replacedByFolder:
                    unlink(path)
                    mkdir(path, 0o700)
                }
            }
        }

        @Test("a file that is not what it was is not sent at all", arguments: Change.allCases)
        func changedBefore(change: Change) async throws {
            try await Bench.run(handler: { _, connection in connection.answer("200 OK") }) { bench, server in
                let specification = try bench.upload(ServedFile.content(1000), to: server.url("/f"))
                // The new time differs even on a file system with a coarse resolution.
                if change == .touched { bench.setTime(bench.sourcePath, 1_000_000) }
                try change.happen(to: bench.sourcePath)
                let (outcome, _) = await bench.run(specification)
                #expect(outcome.failure?.cause == .sourceChanged, "\(outcome)")
                #expect(outcome.failure?.message.contains(bench.sourcePath) == true)
                #expect(outcome.resume == nil)
                #expect(server.requests.isEmpty)
            }
        }

        @Test(
            "a file that changes while it is sent ends the upload, and the server never has a whole one",
            arguments: [true, false], [Change.shrank, .grew, .touched])
        func changesWhileSent(repaired: Bool, change: Change) async throws {
            let received = Received()
            let path = NSTemporaryDirectory() + "transfer-upload-\(UUID().uuidString)"
            let handler: HostileServer.Handler = { request, connection in
                _ = connection.readBytes(100_000)
                try? change.happen(to: path)
                if received.take(request, connection) { connection.answer("200 OK") }
            }
            try await Bench.run(repaired: repaired, handler: handler) { bench, server in
                defer { unlink(path) }
                var specification = try bench.upload(Bench.blocks(24), to: server.url("/f"), resumption: .never)
                rename(bench.sourcePath, path)
                specification.upload?.path = path
                bench.setTime(path, 1_000_000)
                specification.upload?.modified = 1_000_000 * 1_000_000_000
                let (outcome, _) = await bench.run(specification)
                #expect(outcome.failure?.cause == .sourceChanged, "\(outcome)")
                #expect(received.bodies.isEmpty)
            }
        }

        @Test("a file that changed after its last byte was sent is not believed to have arrived")
        func changesAtTheEnd() async throws {
            let received = Received()
            let path = NSTemporaryDirectory() + "transfer-upload-\(UUID().uuidString)"
            let handler: HostileServer.Handler = { request, connection in
                guard received.take(request, connection) else { return }
                utimes(path, nil)
                connection.answer("200 OK")
            }
            try await Bench.run(handler: handler) { bench, server in
                defer { unlink(path) }
                var specification = try bench.upload([1, 2, 3], to: server.url("/f"))
                rename(bench.sourcePath, path)
                specification.upload?.path = path
                bench.setTime(path, 1_000_000)
                specification.upload?.modified = 1_000_000 * 1_000_000_000
                let (outcome, _) = await bench.run(specification)
                #expect(outcome.failure?.cause == .sourceChanged, "\(outcome)")
            }
        }

        @Test("what is no file that can be read is refused by name", arguments: ["missing", "folder", "pipe"])
        func unreadable(kind: String) throws {
            let path = NSTemporaryDirectory() + "transfer-source-\(UUID().uuidString)"
            defer {
                unlink(path)
                rmdir(path)
            }
            switch kind {
            case "folder": mkdir(path, 0o700)
            case "pipe": mkfifo(path, 0o600)
            default: break
            }
            let error = #expect(throws: TransferFailure.self) { try UploadSource(fileAt: path) }
            #expect(error?.cause == .sourceChanged)
            #expect(error?.message.contains(path) == true)
        }

        @Test("an answer keeps its bytes in the store, text or not, and no more than 1 MiB")
        func answerCoding() throws {
            for body in [Array("text ü".utf8), (0...255).map { UInt8($0) }, []] {
                let answer = ServerAnswer(body: body, contentType: "a/b")
                let data = try JSONEncoder().encode(answer)
                #expect(try JSONDecoder().decode(ServerAnswer.self, from: data) == answer)
            }
            let long = ServerAnswer(body: [UInt8](repeating: 1, count: (1 << 20) + 1), contentType: nil)
            #expect(long.body.count == 1 << 20)
            #expect(long.isCut)
        }
    }
}

extension Bench {
    /// Sets the modification time of a file in seconds since 1970.
    func setTime(_ path: String, _ seconds: Int) {
        let time = timeval(tv_sec: seconds, tv_usec: 0)
        utimes(path, [time, time])
    }
}
