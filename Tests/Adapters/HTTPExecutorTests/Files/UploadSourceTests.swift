// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import Glibc
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

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

        @Test("A source file that has changed is not sent", arguments: Change.allCases)
        func changedBefore(change: Change) async throws {
            try await ExecutorFixture.run(handler: { _, connection in connection.respond("200 OK") }) {
                fixture, server in
                let specification = try fixture.upload(ServedFile.content(1000), to: server.url("/f"))
                // The new time differs even on a file system with a coarse resolution.
                if change == .touched { fixture.setTime(fixture.sourcePath, 1_000_000) }
                try change.happen(to: fixture.sourcePath)
                let (outcome, _) = await fixture.run(specification)
                #expect(outcome.failure?.cause == .sourceChanged, "\(outcome)")
                #expect(outcome.failure?.message.contains(fixture.sourcePath) == true)
                #expect(outcome.resume == nil)
                #expect(server.requests.isEmpty)
            }
        }

        @Test(
            "A source file that changes during the upload ends the upload, and the server never has a complete file",
            arguments: [true, false], [Change.shrank, .grew, .touched])
        func changesWhileSent(usesCurl: Bool, change: Change) async throws {
            let received = Received()
            let path = NSTemporaryDirectory() + "transfer-upload-\(UUID().uuidString)"
            let handler: HostileServer.Handler = { request, connection in
                _ = connection.readBytes(100_000)
                try? change.happen(to: path)
                if received.readBody(request, connection) { connection.respond("200 OK") }
            }
            try await ExecutorFixture.run(usesCurl: usesCurl, handler: handler) { fixture, server in
                defer { unlink(path) }
                var specification = try fixture.upload(
                    ExecutorFixture.blocks(24), to: server.url("/f"), resumption: .never)
                rename(fixture.sourcePath, path)
                specification.upload?.path = path
                fixture.setTime(path, 1_000_000)
                specification.upload?.modified = 1_000_000 * 1_000_000_000
                let (outcome, _) = await fixture.run(specification)
                #expect(outcome.failure?.cause == .sourceChanged, "\(outcome)")
                #expect(received.bodies.isEmpty)
            }
        }

        @Test("A source file that changed after its last byte was sent is not reported as uploaded")
        func changesAtTheEnd() async throws {
            let received = Received()
            let path = NSTemporaryDirectory() + "transfer-upload-\(UUID().uuidString)"
            let handler: HostileServer.Handler = { request, connection in
                guard received.readBody(request, connection) else { return }
                utimes(path, nil)
                connection.respond("200 OK")
            }
            try await ExecutorFixture.run(handler: handler) { fixture, server in
                defer { unlink(path) }
                var specification = try fixture.upload([1, 2, 3], to: server.url("/f"))
                rename(fixture.sourcePath, path)
                specification.upload?.path = path
                fixture.setTime(path, 1_000_000)
                specification.upload?.modified = 1_000_000 * 1_000_000_000
                let (outcome, _) = await fixture.run(specification)
                #expect(outcome.failure?.cause == .sourceChanged, "\(outcome)")
            }
        }

        @Test("A source that is not a readable file is refused by name", arguments: ["missing", "folder", "pipe"])
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

        @Test("A response keeps its bytes in the store, text or not, up to 1 MiB")
        func responseCoding() throws {
            for body in [Array("text ü".utf8), (0...255).map { UInt8($0) }, []] {
                let answer = UploadResponse(body: body, contentType: "a/b")
                let data = try JSONEncoder().encode(answer)
                #expect(try JSONDecoder().decode(UploadResponse.self, from: data) == answer)
            }
            let long = UploadResponse(body: [UInt8](repeating: 1, count: (1 << 20) + 1), contentType: nil)
            #expect(long.body.count == 1 << 20)
            #expect(long.isCut)
        }
    }
}

extension ExecutorFixture {
    /// Sets the modification time of a file in seconds since 1970.
    func setTime(_ path: String, _ seconds: Int) {
        let time = timeval(tv_sec: seconds, tv_usec: 0)
        utimes(path, [time, time])
    }
}
