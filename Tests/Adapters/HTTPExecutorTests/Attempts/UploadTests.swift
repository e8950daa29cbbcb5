// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct UploadTests {
        @Test(
            "A file arrives unchanged, with its length and without chunks, and the response is returned",
            arguments: [true, false], UploadSource.Method.allCases)
        func arrives(usesCurl: Bool, method: UploadSource.Method) async throws {
            let received = Received()
            let bytes = ExecutorFixture.blocks(3) + [1, 2, 3]
            let handler: HostileServer.Handler = { request, connection in
                guard request.method == method.rawValue else {
                    connection.respond("405 Method Not Allowed")
                    return
                }
                if received.readBody(request, connection) {
                    connection.respond("201 Created", ["Content-Type: text/x"], body: "made".utf8)
                }
            }
            try await ExecutorFixture.run(usesCurl: usesCurl, handler: handler) { fixture, server in
                let (outcome, recorder) = await fixture.run(try fixture.upload(bytes, to: server.url("/f"), method))
                #expect(outcome.completion?.status == 201, "\(outcome)")
                #expect(outcome.responseText == "made")
                #expect(outcome.completion?.answer?.contentType == "text/x")
                #expect(outcome.completion?.answer?.isCut == false)
                #expect(outcome.completion?.file == nil)
                expectSame(received.bodies, [bytes])
                let request = try #require(server.requests.last)
                #expect(request.contentLength == bytes.count)
                #expect(request.value("Transfer-Encoding") == nil)
                #expect(request.value("Expect") == nil)
                #expect(request.value("Content-Type") == "text/plain")
                #expect(recorder.reports.compactMap(\.progress).last == Int64(bytes.count))
                #expect(recorder.checkpoints.isEmpty)
            }
        }

        @Test(
            "413 during the upload is reported as 413 even if the server closes the connection",
            arguments: [true, false])
        func refusedEarly(usesCurl: Bool) async throws {
            let handler: HostileServer.Handler = { _, connection in
                _ = connection.readBytes(100_000)
                connection.respond("413 Content Too Large", ["Connection: close"], body: "too large".utf8)
                connection.finish()
            }
            try await ExecutorFixture.run(usesCurl: usesCurl, handler: handler) { fixture, server in
                let (outcome, _) = await fixture.run(
                    try fixture.upload(ExecutorFixture.blocks(16), to: server.url("/f")))
                #expect(outcome.completion?.status == 413, "\(outcome)")
                #expect(outcome.responseText == "too large")
            }
        }

        @Test("A server that responds first and reads later still receives the whole file", arguments: [true, false])
        func respondsFirst(usesCurl: Bool) async throws {
            let (received, end) = (Received(), Signal())
            let bytes = ExecutorFixture.blocks(8)
            let handler: HostileServer.Handler = { request, connection in
                connection.respond("200 OK", body: "early".utf8)
                _ = received.readBody(request, connection)
                end.signal()
            }
            try await ExecutorFixture.run(usesCurl: usesCurl, handler: handler) { fixture, server in
                let (outcome, _) = await fixture.run(try fixture.upload(bytes, to: server.url("/f")))
                #expect(outcome.completion?.status == 200, "\(outcome)")
                // The bytes on the wire arrive after the client has its response.
                await end.wait()
                expectSame(received.bodies, [bytes])
            }
        }

        @Test("1 MiB of a huge response is kept, and reading the rest ends", arguments: [true, false])
        func hugeResponse(usesCurl: Bool) async throws {
            let received = Received()
            let handler: HostileServer.Handler = { request, connection in
                guard received.readBody(request, connection) else { return }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 99000000000\r\n\r\n")
                let block = [UInt8](repeating: 65, count: 1 << 20)
                while connection.send(block) {}
            }
            try await ExecutorFixture.run(usesCurl: usesCurl, handler: handler) { fixture, server in
                let (outcome, _) = await fixture.run(try fixture.upload([1], to: server.url("/f")))
                let answer = try #require(outcome.completion?.answer)
                #expect(answer.body == [UInt8](repeating: 65, count: 1 << 20))
                #expect(answer.isCut)
            }
        }

        @Test("An idle connection that died does not fail the upload", arguments: [true, false])
        func deadConnection(usesCurl: Bool) async throws {
            let received = Received()
            let bytes = ServedFile.content(300_000)
            let handler: HostileServer.Handler = { request, connection in
                // The second request of a connection finds the connection dead.
                if request.connection == 1, !received.bodies.isEmpty { return connection.reset() }
                if received.readBody(request, connection) { connection.respond("200 OK") }
            }
            try await ExecutorFixture.run(usesCurl: usesCurl, handler: handler) { fixture, server in
                for _ in 0..<2 {
                    let (outcome, _) = await fixture.run(
                        try fixture.upload(bytes, to: server.url("/f"), resumption: .never))
                    // A reset after the first bytes of a request may be reported as a lost connection, which leads to
                    // a retry.
                    #expect(outcome.completion?.status == 200 || outcome.failure?.cause == .connection, "\(outcome)")
                }
                #expect(received.bodies.allSatisfy { $0 == bytes })
            }
        }

        @Test("A server that stops accepting bytes times out", arguments: [true, false])
        func stalls(usesCurl: Bool) async throws {
            let end = Signal()
            let handler: HostileServer.Handler = { _, connection in
                _ = connection.readBytes(100_000)
                end.block()
                connection.reset()
            }
            try await ExecutorFixture.run(usesCurl: usesCurl, handler: handler) { fixture, server in
                defer { end.signal() }
                var specification = try fixture.upload(ExecutorFixture.blocks(32), to: server.url("/f"))
                specification.idleTimeoutSeconds = 1
                let (outcome, _) = await fixture.run(specification)
                #expect(outcome.failure?.cause == .timeout, "\(outcome)")
            }
        }

        @Test("An upload needs no disk space and removes nothing from the disk")
        func leavesTheDiskAlone() async throws {
            try await ExecutorFixture.run(handler: { _, connection in connection.respond("200 OK") }) {
                fixture, server in
                let specification = try fixture.upload([1], to: server.url("/f"))
                #expect(fixture.executor.availableSpace(for: specification) == nil)
                let upload = UploadResume(kind: .tus, url: server.url("/u"), modified: 0)
                fixture.discard(ResumePoint(upload: upload, offset: 0, total: 1), of: specification)
                #expect(FileManager.default.fileExists(atPath: fixture.sourcePath))
                #expect(fixture.orphanedFiles.isEmpty)
            }
        }
    }
}
