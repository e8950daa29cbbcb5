// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
import Foundation
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct UploadTests {
        @Test(
            "a file arrives to the byte, with its length and in no chunks, and the answer comes back",
            arguments: [true, false], UploadSource.Method.allCases)
        func arrives(repaired: Bool, method: UploadSource.Method) async throws {
            let received = Received()
            let bytes = Bench.blocks(3) + [1, 2, 3]
            let handler: HostileServer.Handler = { request, connection in
                guard request.method == method.rawValue else {
                    connection.answer("405 Method Not Allowed")
                    return
                }
                if received.take(request, connection) {
                    connection.answer("201 Created", ["Content-Type: text/x"], body: "made".utf8)
                }
            }
            try await Bench.run(repaired: repaired, handler: handler) { bench, server in
                let (outcome, recorder) = await bench.run(try bench.upload(bytes, to: server.url("/f"), method))
                #expect(outcome.completion?.status == 201, "\(outcome)")
                #expect(outcome.answerText == "made")
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

        @Test("a file of 0 bytes is an upload as well", arguments: [true, false])
        func empty(repaired: Bool) async throws {
            let received = Received()
            let handler: HostileServer.Handler = { request, connection in
                if received.take(request, connection) { connection.answer("204 No Content") }
            }
            try await Bench.run(repaired: repaired, handler: handler) { bench, server in
                let (outcome, _) = await bench.run(try bench.upload([], to: server.url("/f")))
                #expect(outcome.completion?.status == 204)
                expectSame(received.bodies, [[]])
                #expect(server.requests.first?.value("Content-Length") == "0")
            }
        }

        @Test("a 307 gets the whole file again, a 303 is followed by a GET", arguments: [true, false])
        func redirects(repaired: Bool) async throws {
            let received = Received()
            let bytes = ServedFile.content(200_000)
            let handler: HostileServer.Handler = { request, connection in
                guard received.take(request, connection) else { return }
                switch request.target {
                case "/307": connection.answer("307 Temporary Redirect", ["Location: /f"], body: "there".utf8)
                case "/303": connection.answer("303 See Other", ["Location: /result"])
                case "/result": connection.answer("200 OK", body: "result".utf8)
                default: connection.answer("201 Created")
                }
            }
            try await Bench.run(repaired: repaired, handler: handler) { bench, server in
                let (kept, _) = await bench.run(try bench.upload(bytes, to: server.url("/307")))
                #expect(kept.completion?.status == 201)
                expectSame(received.bodies, [bytes, bytes])
                let (seen, _) = await bench.run(
                    try bench.upload(bytes, to: server.url("/303"), .post, resumption: .never))
                #expect(seen.completion?.status == 200)
                #expect(seen.answerText == "result")
                #expect(server.requests.map(\.method) == ["PUT", "PUT", "POST", "GET"])
            }
        }

        @Test("401, even with a challenge, is the answer and no hang", arguments: [true, false])
        func unauthorized(repaired: Bool) async throws {
            let received = Received()
            let handler: HostileServer.Handler = { request, connection in
                guard received.take(request, connection) else { return }
                connection.answer("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"x\""], body: "who?".utf8)
            }
            try await Bench.run(repaired: repaired, handler: handler) { bench, server in
                let (outcome, _) = await bench.run(try bench.upload([1, 2, 3], to: server.url("/f")))
                #expect(outcome.completion?.status == 401)
            }
        }

        @Test("413 in the middle, with the connection closed on us, is told as 413", arguments: [true, false])
        func refusedEarly(repaired: Bool) async throws {
            let handler: HostileServer.Handler = { _, connection in
                _ = connection.readBytes(100_000)
                connection.answer("413 Content Too Large", ["Connection: close"], body: "too large".utf8)
                connection.finish()
            }
            try await Bench.run(repaired: repaired, handler: handler) { bench, server in
                let (outcome, _) = await bench.run(try bench.upload(Bench.blocks(16), to: server.url("/f")))
                #expect(outcome.completion?.status == 413, "\(outcome)")
                #expect(outcome.answerText == "too large")
            }
        }

        @Test("a server that answers first and reads later still gets everything", arguments: [true, false])
        func answersFirst(repaired: Bool) async throws {
            let (received, end) = (Received(), Signal())
            let bytes = Bench.blocks(8)
            let handler: HostileServer.Handler = { request, connection in
                connection.answer("200 OK", body: "early".utf8)
                _ = received.take(request, connection)
                end.signal()
            }
            try await Bench.run(repaired: repaired, handler: handler) { bench, server in
                let (outcome, _) = await bench.run(try bench.upload(bytes, to: server.url("/f")))
                #expect(outcome.completion?.status == 200, "\(outcome)")
                // The bytes on the wire arrive after the client has its answer.
                await end.wait()
                expectSame(received.bodies, [bytes])
            }
        }

        @Test("of a huge answer 1 MiB is kept and the rest is not read for ever", arguments: [true, false])
        func hugeAnswer(repaired: Bool) async throws {
            let received = Received()
            let handler: HostileServer.Handler = { request, connection in
                guard received.take(request, connection) else { return }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 99000000000\r\n\r\n")
                let block = [UInt8](repeating: 65, count: 1 << 20)
                while connection.send(block) {}
            }
            try await Bench.run(repaired: repaired, handler: handler) { bench, server in
                let (outcome, _) = await bench.run(try bench.upload([1], to: server.url("/f")))
                let answer = try #require(outcome.completion?.answer)
                #expect(answer.body == [UInt8](repeating: 65, count: 1 << 20))
                #expect(answer.isCut)
            }
        }

        @Test("a connection that died while it was kept does not cost the upload", arguments: [true, false])
        func deadConnection(repaired: Bool) async throws {
            let received = Received()
            let bytes = ServedFile.content(300_000)
            let handler: HostileServer.Handler = { request, connection in
                // The second request of a connection finds the connection dead.
                if request.connection == 1, !received.bodies.isEmpty { return connection.reset() }
                if received.take(request, connection) { connection.answer("200 OK") }
            }
            try await Bench.run(repaired: repaired, handler: handler) { bench, server in
                for _ in 0..<2 {
                    let (outcome, _) = await bench.run(
                        try bench.upload(bytes, to: server.url("/f"), resumption: .never))
                    // A reset after the first bytes of a request may be reported as a lost connection, which leads to
                    // a retry.
                    #expect(outcome.completion?.status == 200 || outcome.failure?.cause == .connection, "\(outcome)")
                }
                #expect(received.bodies.allSatisfy { $0 == bytes })
            }
        }

        @Test("503 is a failure that may pass, with the time that is asked for")
        func overloaded() async throws {
            let received = Received()
            let handler: HostileServer.Handler = { request, connection in
                if received.take(request, connection) { connection.answer("503 Unavailable", ["Retry-After: 12"]) }
            }
            try await Bench.run(handler: handler) { bench, server in
                let (outcome, _) = await bench.run(try bench.upload([1], to: server.url("/f")))
                #expect(outcome.failure?.cause == .status(503))
                #expect(outcome.failure?.retryAfterSeconds == 12)
            }
        }

        @Test("a server that takes nothing any more is given up after the timeout", arguments: [true, false])
        func stalls(repaired: Bool) async throws {
            let end = Signal()
            let handler: HostileServer.Handler = { _, connection in
                _ = connection.readBytes(100_000)
                end.block()
                connection.reset()
            }
            try await Bench.run(repaired: repaired, handler: handler) { bench, server in
                defer { end.signal() }
                var specification = try bench.upload(Bench.blocks(32), to: server.url("/f"))
                specification.idleTimeoutSeconds = 1
                let (outcome, _) = await bench.run(specification)
                #expect(outcome.failure?.cause == .timeout, "\(outcome)")
            }
        }

        @Test("no room on disk is asked for, and nothing on disk is ever removed for an upload")
        func leavesTheDiskAlone() async throws {
            try await Bench.run(handler: { _, connection in connection.answer("200 OK") }) { bench, server in
                let specification = try bench.upload([1], to: server.url("/f"))
                #expect(bench.executor.availableSpace(for: specification) == nil)
                let upload = UploadResume(kind: .tus, url: server.url("/u"), modified: 0)
                bench.discard(ResumePoint(upload: upload, offset: 0, total: 1), of: specification)
                #expect(FileManager.default.fileExists(atPath: bench.sourcePath))
                #expect(bench.leftovers.isEmpty)
            }
        }
    }
}
