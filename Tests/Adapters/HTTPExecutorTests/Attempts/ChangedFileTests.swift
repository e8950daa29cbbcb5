// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import HostileServer
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct ChangedFileTests {
        private static let small = ServedFile(bytes: ServedFile.content(1000))

        @Test("A finished file is downloaded again only if the server's file has changed")
        func repeated() async throws {
            let current = Mutex(Self.small)
            try await ExecutorFixture.run(handler: { request, connection in
                current.withLock { $0 }.serve(request, connection)
            }) { fixture, server in
                var specification = fixture.specification(server.url("/f"), collision: .overwrite)
                let first = await fixture.run(specification).0
                specification.completedBefore = first.completion?.file
                let second = await fixture.run(specification).0
                #expect(second.completion?.wasAlreadyComplete == true)
                #expect(second.completion?.file == first.completion?.file)
                #expect(server.requests.last?.value("If-None-Match") == "\"v1\"")
                current.withLock { $0 = ServedFile(bytes: ServedFile.content(500, seed: 3), entityTag: "\"v2\"") }
                let third = await fixture.run(specification).0
                #expect(fixture.contents(third)?.count == 500)
                specification.completedBefore = third.completion?.file
                specification.completedBefore?.bytes += 1
                let fourth = await fixture.run(specification).0
                #expect(fourth.completion?.wasAlreadyComplete == false)
                #expect(server.requests.last?.value("If-None-Match") == nil)
            }
        }
    }
}
