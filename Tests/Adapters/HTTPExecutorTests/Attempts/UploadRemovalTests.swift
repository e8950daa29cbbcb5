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
    struct UploadRemovalTests {
        typealias Kind = UploadResumeTests.Kind

        @Test("An abandoned upload is deleted at the server", arguments: Kind.allCases)
        func removal(kind: Kind) async throws {
            let door = DigestGuard(user: "me", password: "p")
            let (uploads, handler) = kind.server(UploadResumeTests.faults { $0.cuts = [1_000_000] })
            try await ExecutorFixture.run(handler: { request, connection in
                if door.admits(request, connection) { handler(request, connection) }
            }) { fixture, server in
                var specification = try fixture.upload(ExecutorFixture.blocks(3), to: server.url("/f"), kind.method)
                specification.credential = Credential(user: "me", password: "p")
                let resume = try #require(await fixture.run(specification).0.resume)
                #expect(uploads.count == 1)
                // The file may be gone by the time of the removal.
                unlink(fixture.sourcePath)
                fixture.discard(resume, of: specification)
                fixture.discard(resume, of: specification)
                await fixture.executor.shutdown()
                #expect(uploads.count == 0)
                // The DELETE is challenged and then sent again with the login. With tus, the preceding OPTIONS
                // request was challenged instead.
                let requests = server.requests.count { $0.method == "DELETE" }
                #expect(requests == (kind == .tus ? 1 : 2), "\(server.requests.map(\.method))")
            }
        }

        @Test("A tus server without deletion receives no request, and a silent server delays nothing")
        func noRemoval() async throws {
            let (uploads, handler) = Kind.tus.server(
                UploadResumeTests.faults { ($0.cuts, $0.allowsRemoval) = ([1_000_000], false) })
            try await ExecutorFixture.run(handler: handler) { fixture, server in
                let specification = try fixture.upload(ExecutorFixture.blocks(3), to: server.url("/f"), .post)
                let outcome = await fixture.run(specification).0
                let resume = try #require(outcome.resume, "\(outcome), asked \(server.requests.map(\.method))")
                fixture.discard(resume, of: specification)
                await fixture.executor.shutdown()
                #expect(uploads.count == 1)
                #expect(server.requests.last?.method == "OPTIONS", "\(server.requests.map(\.method))")
            }
            try await ExecutorFixture.run(handler: { _, connection in connection.waitForClient() }) { fixture, server in
                let specification = try fixture.upload(ExecutorFixture.blocks(3), to: server.url("/f"), .post)
                let source = try #require(specification.upload)
                let uploadResume = UploadResume(kind: .tus, url: server.url("/u"), modified: source.modified)
                fixture.discard(ResumePoint(upload: uploadResume, offset: 1, total: source.size), of: specification)
                let began = ContinuousClock.now
                await fixture.executor.shutdown()
                #expect(ContinuousClock.now - began < .seconds(10))
                #expect(server.requests.map(\.method) == ["OPTIONS"])
            }
        }
    }
}
