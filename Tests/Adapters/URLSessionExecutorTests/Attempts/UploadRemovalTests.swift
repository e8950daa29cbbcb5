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
    struct UploadRemovalTests {
        typealias Kind = UploadResumeTests.Kind

        @Test("what is left of an upload that nobody goes on with is deleted at the server", arguments: Kind.allCases)
        func removal(kind: Kind) async throws {
            let door = DigestGuard(user: "me", password: "p")
            let (places, handler) = kind.server(UploadResumeTests.faults { $0.cuts = [1_000_000] })
            try await Bench.run(handler: { request, connection in
                if door.admits(request, connection) { handler(request, connection) }
            }) { bench, server in
                var specification = try bench.upload(Bench.blocks(3), to: server.url("/f"), kind.method)
                specification.credential = Credential(user: "me", password: "p")
                let resume = try #require(await bench.run(specification).0.resume)
                #expect(places.count == 1)
                // The file may be gone by the time of the removal.
                unlink(bench.sourcePath)
                bench.discard(resume, of: specification)
                bench.discard(resume, of: specification)
                await bench.executor.shutdown()
                #expect(places.count == 0)
                // The DELETE is challenged and then sent again with the login. With tus, the preceding OPTIONS
                // request was challenged instead.
                let requests = server.requests.count { $0.method == "DELETE" }
                #expect(requests == (kind == .tus ? 1 : 2), "\(server.requests.map(\.method))")
            }
        }

        @Test("a tus server that deletes nothing is not asked to, and one that is silent holds nobody up")
        func noRemoval() async throws {
            let (places, handler) = Kind.tus.server(
                UploadResumeTests.faults { ($0.cuts, $0.allowsRemoval) = ([1_000_000], false) })
            try await Bench.run(handler: handler) { bench, server in
                let specification = try bench.upload(Bench.blocks(3), to: server.url("/f"), .post)
                let outcome = await bench.run(specification).0
                let resume = try #require(outcome.resume, "\(outcome), asked \(server.requests.map(\.method))")
                bench.discard(resume, of: specification)
                await bench.executor.shutdown()
                #expect(places.count == 1)
                #expect(server.requests.last?.method == "OPTIONS", "\(server.requests.map(\.method))")
            }
            try await Bench.run(handler: { _, connection in connection.waitForClient() }) { bench, server in
                let specification = try bench.upload(Bench.blocks(3), to: server.url("/f"), .post)
                let source = try #require(specification.upload)
                let place = UploadResume(kind: .tus, url: server.url("/u"), modified: source.modified)
                bench.discard(ResumePoint(upload: place, offset: 1, total: source.size), of: specification)
                let began = ContinuousClock.now
                await bench.executor.shutdown()
                #expect(ContinuousClock.now - began < .seconds(10))
                #expect(server.requests.map(\.method) == ["OPTIONS"])
            }
        }
    }
}
