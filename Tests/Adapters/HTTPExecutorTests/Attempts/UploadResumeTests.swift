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
    struct UploadResumeTests {
        /// A protocol of resumable uploads, with its server and its method.
        enum Kind: CaseIterable {
            case tus, draft

            var method: UploadSource.Method { self == .tus ? .post : .put }

            func server(_ faults: UploadStore.Faults) -> (uploads: UploadStore, handler: HostileServer.Handler) {
                switch self {
                case .tus:
                    let server = TusServer(faults)
                    return (server.uploads, { server.serve($0, $1) })
                case .draft:
                    let server = DraftUploadServer(faults)
                    return (server.uploads, { server.serve($0, $1) })
                }
            }
        }

        /// Returns the faults after `change`, including the consequences of the changes.
        static func faults(_ change: (inout UploadStore.Faults) -> Void) -> UploadStore.Faults {
            var faults = UploadStore.Faults()
            change(&faults)
            // libcurl itself repeats a request that breaks on a kept connection. The server may respond to the head of
            // the repetition before libcurl asks for a body, which cannot be sent twice.
            faults.closesConnections = !faults.cuts.isEmpty
            return faults
        }

        @Test(
            "After two interruptions, the upload continues at the server's offset and arrives unchanged",
            arguments: [true, false], Kind.allCases)
        func goesOn(usesCurl: Bool, kind: Kind) async throws {
            let bytes = ExecutorFixture.blocks(4)
            let (uploads, handler) = kind.server(
                Self.faults {
                    $0.cuts = [1_500_000, 1_000_000]
                })
            try await ExecutorFixture.run(usesCurl: usesCurl, handler: handler) { fixture, server in
                let specification = try fixture.upload(bytes, to: server.url("/f"), kind.method)
                let (first, recorder) = await fixture.run(specification)
                #expect(first.failure?.cause == .connection, "\(first)")
                let resume = try #require(first.resume)
                #expect(resume.path.isEmpty)
                #expect(recorder.checkpoints.last == resume)
                let (second, again) = await fixture.run(specification, resume: resume)
                #expect(second.failure?.cause == .connection, "\(second)")
                #expect(again.restarts == 0)
                #expect(second.resume?.offset == 1_500_000)
                let (third, _) = await fixture.run(specification, resume: second.resume)
                #expect(third.completion?.status == (kind == .tus ? 204 : 201), "\(third)")
                if kind == .draft { #expect(third.responseText == "stored /uploads/1") }
                expectSame(uploads.complete, [bytes])
            }
        }

        @Test(
            "A kept connection that breaks far into the body is a failure, and libcurl does not restart by itself",
            arguments: [true, false], UploadSource.Method.allCases)
        func noHiddenRepetition(usesCurl: Bool, method: UploadSource.Method) async throws {
            let received = Received()
            let bytes = ExecutorFixture.blocks(16)
            let handler: HostileServer.Handler = { request, connection in
                if request.contentLength == 1 {
                    _ = connection.readBody(of: request)
                    connection.respond("200 OK")
                } else {
                    received.keep(connection.readBytes(8_000_000))
                    connection.reset()
                }
            }
            try await ExecutorFixture.run(usesCurl: usesCurl, handler: handler) { fixture, server in
                let small = try fixture.upload([1], to: server.url("/f"), method, resumption: .never)
                #expect(await fixture.run(small).0.completion?.status == 200)
                let large = try fixture.upload(bytes, to: server.url("/f"), method, resumption: .never)
                let (outcome, _) = await fixture.run(large)
                #expect(outcome.failure?.cause == .connection, "\(outcome)")
                #expect(server.requests.map(\.connection).prefix(2) == [1, 1])
                // libcurl may have sent a second head before it asked for the body.
                #expect(received.bodies.map(\.count).filter { $0 > 0 } == [8_000_000])
            }
        }

        @Test("A stop reports the resume point, and the rest follows later", arguments: [true, false], Kind.allCases)
        func stopAndContinue(usesCurl: Bool, kind: Kind) async throws {
            let bytes = ExecutorFixture.blocks(24)
            let (uploads, handler) = kind.server(.init())
            let (reached, proceed, left) = (Signal(), Signal(), Signal())
            let delayingHandler: HostileServer.Handler = { request, connection in
                let isUpload = request.method == "PATCH" || request.method == "PUT"
                if isUpload, request.contentLength == bytes.count {
                    // The head has arrived. The server reads none of the body until the test continues.
                    reached.signal()
                    proceed.block()
                }
                handler(request, connection)
                if isUpload { left.signal() }
            }
            try await ExecutorFixture.run(usesCurl: usesCurl, handler: delayingHandler) { fixture, server in
                let specification = try fixture.upload(bytes, to: server.url("/f"), kind.method)
                let (id, recorder) = fixture.start(specification)
                await reached.wait()
                if kind == .draft {
                    // The interim response comes with the body.
                    proceed.signal()
                    await recorder.wait { $0.contains { if case .checkpointed = $0 { true } else { false } } }
                }
                fixture.executor.stop(id)
                fixture.executor.stop(id)
                let outcome = await recorder.outcome()
                if kind == .tus { proceed.signal() }
                // Otherwise, this request could take the upload URL from the request that continues.
                await left.wait()
                // If the server was fast, all bytes may have been sent already.
                guard case .stopped(let resume?) = outcome else {
                    #expect(outcome.completion != nil, "\(outcome)")
                    return
                }
                #expect(resume.upload?.kind == (kind == .tus ? .tus : .draft))
                #expect(recorder.checkpoints.last == resume)
                let count = recorder.reports.count
                proceed.signal()
                let (second, _) = await fixture.run(specification, resume: resume)
                #expect(second.completion != nil, "\(second)")
                expectSame(uploads.complete, [bytes])
                #expect(recorder.reports.count == count)
            }
        }
    }
}
