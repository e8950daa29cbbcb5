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
    struct HostileResponseTests {
        private static let small = ServedFile(bytes: ServedFile.content(1000))

        @Test(
            "A URL with an IPv6 address is downloaded",
            .enabled(if: HostileServer.canUseIPv6, "this machine has no address ::1"))
        func addressOfSix() async throws {
            let six = try HostileServer(usesIPv6: true, handler: Self.small.serve)
            defer { six.stop() }
            let far = six.url("/f")
            try await ExecutorFixture.run(handler: { _, connection in
                connection.respond("302 Found", ["Location: \(far)"])
            }) { fixture, server in
                #expect(fixture.contents(await fixture.fetch(far)) == Self.small.bytes)
                #expect(fixture.contents(await fixture.fetch(server.url("/f"))) == Self.small.bytes)
                #expect(six.requests.first?.value("Host") == "[::1]:\(six.port)")
            }
            try await ExecutorFixture.run(usesCurl: false, handler: Self.small.serve) { fixture, _ in
                let failure = await fixture.fetch(far).failure
                #expect(failure?.cause == .unsupportedURL)
                #expect(failure?.message.contains("IPv6") == true)
            }
        }
    }
}
