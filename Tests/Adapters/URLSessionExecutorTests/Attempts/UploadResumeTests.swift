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
    struct UploadResumeTests {
        /// A protocol of resumable uploads, with its server and its method.
        enum Kind: CaseIterable {
            case tus, draft

            var method: UploadSource.Method { self == .tus ? .post : .put }

            func server(_ faults: UploadPlaces.Faults) -> (places: UploadPlaces, handler: HostileServer.Handler) {
                switch self {
                case .tus:
                    let server = TusServer(faults)
                    return (server.places, { server.serve($0, $1) })
                case .draft:
                    let server = DraftUploadServer(faults)
                    return (server.places, { server.serve($0, $1) })
                }
            }
        }

        /// Returns the faults after `change`, including the consequences of the changes.
        static func faults(_ change: (inout UploadPlaces.Faults) -> Void) -> UploadPlaces.Faults {
            var faults = UploadPlaces.Faults()
            change(&faults)
            // libcurl itself repeats a request that breaks on a kept connection. The server may answer the head of
            // the repetition before libcurl asks for a body, which cannot be sent twice.
            faults.keepsNoConnection = !faults.cuts.isEmpty
            return faults
        }

        @Test(
            "cut in the middle twice, the file goes on where the server is, and arrives to the byte",
            arguments: [true, false], Kind.allCases)
        func goesOn(repaired: Bool, kind: Kind) async throws {
            let bytes = Bench.blocks(4)
            let (places, handler) = kind.server(
                Self.faults {
                    $0.cuts = [1_500_000, 1_000_000]
                })
            try await Bench.run(repaired: repaired, handler: handler) { bench, server in
                let specification = try bench.upload(bytes, to: server.url("/f"), kind.method)
                let (first, recorder) = await bench.run(specification)
                #expect(first.failure?.cause == .connection, "\(first)")
                let resume = try #require(first.resume)
                #expect(resume.path.isEmpty)
                #expect(recorder.checkpoints.last == resume)
                let (second, again) = await bench.run(specification, resume: resume)
                #expect(second.failure?.cause == .connection, "\(second)")
                #expect(again.restarts == 0)
                #expect(second.resume?.offset == 1_500_000)
                let (third, _) = await bench.run(specification, resume: second.resume)
                #expect(third.completion?.status == (kind == .tus ? 204 : 201), "\(third)")
                if kind == .draft { #expect(third.answerText == "stored /uploads/1") }
                expectSame(places.complete, [bytes])
            }
        }

        @Test("a server that takes only so much at once gets it in parts", arguments: [true, false])
        func parts(repaired: Bool) async throws {
            let bytes = Bench.blocks(3)
            let (places, handler) = Kind.draft.server(Self.faults { $0.maximumAppend = 1_000_000 })
            try await Bench.run(repaired: repaired, handler: handler) { bench, server in
                let specification = try bench.upload(bytes, to: server.url("/f"))
                let (outcome, _) = await bench.run(specification)
                #expect(outcome.completion?.status == 201, "\(outcome)")
                expectSame(places.complete, [bytes])
                let sizes = server.requests.filter { $0.method == "PATCH" }.map { $0.contentLength ?? 0 }
                #expect(sizes == [1_000_000, 1_000_000, 1_000_000, 145_728])
            }
        }

        @Test("a file that the server will not take as a whole ends early, and says why", arguments: [true, false])
        func tooLarge(repaired: Bool) async throws {
            let (_, handler) = Kind.draft.server(Self.faults { $0.maximumSize = 1_000_000 })
            try await Bench.run(repaired: repaired, handler: handler) { bench, server in
                let (outcome, _) = await bench.run(try bench.upload(Bench.blocks(3), to: server.url("/f")))
                #expect(outcome.failure?.cause == .tooLarge, "\(outcome)")
                #expect(outcome.failure?.message.contains("at most 1000000 bytes") == true)
            }
        }

        @Test(
            "a kept connection that breaks far in the body is a failure, and libcurl begins nothing anew by itself",
            arguments: [true, false], UploadSource.Method.allCases)
        func noHiddenRepetition(repaired: Bool, method: UploadSource.Method) async throws {
            let received = Received()
            let bytes = Bench.blocks(16)
            let handler: HostileServer.Handler = { request, connection in
                if request.contentLength == 1 {
                    _ = connection.readBody(of: request)
                    connection.answer("200 OK")
                } else {
                    received.keep(connection.readBytes(8_000_000))
                    connection.reset()
                }
            }
            try await Bench.run(repaired: repaired, handler: handler) { bench, server in
                let small = try bench.upload([1], to: server.url("/f"), method, resumption: .never)
                #expect(await bench.run(small).0.completion?.status == 200)
                let large = try bench.upload(bytes, to: server.url("/f"), method, resumption: .never)
                let (outcome, _) = await bench.run(large)
                #expect(outcome.failure?.cause == .connection, "\(outcome)")
                #expect(server.requests.map(\.connection).prefix(2) == [1, 1])
                // libcurl may have sent a second head before it asked for the body.
                #expect(received.bodies.map(\.count).filter { $0 > 0 } == [8_000_000])
            }
        }

        @Test("a stop reports where to go on, and the rest follows later", arguments: [true, false], Kind.allCases)
        func stopAndContinue(repaired: Bool, kind: Kind) async throws {
            let bytes = Bench.blocks(24)
            let (places, handler) = kind.server(.init())
            let (reached, proceed, left) = (Signal(), Signal(), Signal())
            let holding: HostileServer.Handler = { request, connection in
                let isUpload = request.method == "PATCH" || request.method == "PUT"
                if isUpload, request.contentLength == bytes.count {
                    // The head has arrived. The server reads none of the body until the test continues.
                    reached.signal()
                    proceed.block()
                }
                handler(request, connection)
                if isUpload { left.signal() }
            }
            try await Bench.run(repaired: repaired, handler: holding) { bench, server in
                let specification = try bench.upload(bytes, to: server.url("/f"), kind.method)
                let (id, recorder) = bench.start(specification)
                await reached.wait()
                if kind == .draft {
                    // The interim answer comes with the body.
                    proceed.signal()
                    await recorder.wait { $0.contains { if case .checkpointed = $0 { true } else { false } } }
                }
                bench.executor.stop(id)
                bench.executor.stop(id)
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
                let (second, _) = await bench.run(specification, resume: resume)
                #expect(second.completion != nil, "\(second)")
                expectSame(places.complete, [bytes])
                #expect(recorder.reports.count == count)
            }
        }

        @Test("a server that has forgotten the upload gets all of it anew", arguments: Kind.allCases)
        func forgotten(kind: Kind) async throws {
            let bytes = Bench.blocks(3)
            let (places, handler) = kind.server(
                Self.faults {
                    $0.cuts = [1_000_000]
                    $0.forgetsAtCut = true
                })
            try await Bench.run(handler: handler) { bench, server in
                let specification = try bench.upload(bytes, to: server.url("/f"), kind.method)
                let (first, _) = await bench.run(specification)
                let (second, recorder) = await bench.run(specification, resume: first.resume)
                #expect(recorder.restarts == 1)
                #expect(second.completion != nil, "\(second)")
                expectSame(places.complete, [bytes])
            }
        }

        @Test("an offset that is wrong leads to 409 and to no wrong file", arguments: Kind.allCases, [-1, 1])
        func wrongOffset(kind: Kind, error: Int) async throws {
            let bytes = Bench.blocks(3)
            let (places, handler) = kind.server(
                Self.faults {
                    $0.cuts = [1_000_000]
                    $0.offsetError = error
                })
            try await Bench.run(handler: handler) { bench, server in
                let specification = try bench.upload(bytes, to: server.url("/f"), kind.method)
                let (first, _) = await bench.run(specification)
                let (second, _) = await bench.run(specification, resume: first.resume)
                #expect(second.failure?.cause == .malformedAnswer, "\(second)")
                places.faults.offsetError = 0
                let (third, _) = await bench.run(specification, resume: second.resume)
                #expect(third.completion != nil, "\(third)")
                expectSame(places.complete, [bytes])
            }
        }

        @Test("a lock and an overload are failures that pass, and lose nothing", arguments: Kind.allCases)
        func passing(kind: Kind) async throws {
            let bytes = Bench.blocks(2)
            let (places, handler) = kind.server(
                Self.faults {
                    $0.cuts = [1_000_000]
                    $0.locks = 1
                    $0.overloads = 1
                })
            try await Bench.run(handler: handler) { bench, server in
                let specification = try bench.upload(bytes, to: server.url("/f"), kind.method)
                var outcome = await bench.run(specification).0
                var causes: [FailureCause] = []
                while let failure = outcome.failure, causes.count < 5 {
                    causes.append(failure.cause)
                    outcome = await bench.run(specification, resume: outcome.resume).0
                }
                #expect(causes == [.connection, .status(423), .status(503)])
                #expect(outcome.completion != nil)
                if kind == .draft { #expect(places.complete == [bytes]) }
            }
        }

        @Test("where nothing is offered, or another version of it, an interrupted upload starts over")
        func notOffered() async throws {
            let bytes = Bench.blocks(2)
            let cut = Self.faults { $0.cuts = [1_000_000] }
            let silent = Self.faults {
                $0.cuts = [1_000_000]
                $0.offersNothing = true
            }
            for draft in [DraftUploadServer(silent), DraftUploadServer(cut, version: "6")] {
                try await Bench.run(handler: { draft.serve($0, $1) }) { bench, server in
                    let specification = try bench.upload(bytes, to: server.url("/f"))
                    let (first, recorder) = await bench.run(specification)
                    #expect(first.failure?.cause == .connection)
                    #expect(first.resume == nil)
                    #expect(recorder.checkpoints.isEmpty)
                    #expect(await bench.run(specification).0.completion?.status == 201)
                    expectSame(draft.places.complete, [bytes])
                }
            }
            let tus = TusServer(silent)
            try await Bench.run(handler: { tus.serve($0, $1) }) { bench, server in
                let specification = try bench.upload(bytes, to: server.url("/f"), .post)
                #expect(await bench.run(specification).0.failure?.cause == .connection)
                #expect(await bench.run(specification).0.answerText == "plain")
                expectSame(tus.places.complete, [bytes])
            }
        }
    }
}
