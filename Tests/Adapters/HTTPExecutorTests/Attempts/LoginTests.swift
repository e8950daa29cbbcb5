// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

extension ExecutorTests {
    /// Tests of servers and proxies that require a login, with the real client.
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct LoginTests {
        private static let file = ServedFile(bytes: ServedFile.content(200_000))

        /// The login that a server requires for each piece.
        enum Door: CaseIterable { case basic, digest, oneTimeNonces }

        @Test(
            "A large file that requires a login arrives in segments, each with its own credentials",
            arguments: Door.allCases)
        func largeFile(_ kind: Door) async throws {
            let large = ServedFile(bytes: ServedFile.content(12_000_000))
            let door = DigestGuard(
                user: "me", password: "p", requestsPerNonce: kind == .oneTimeNonces ? 1 : .max)
            try await ExecutorFixture.run(handler: { request, connection in
                if kind == .basic {
                    if request.value("Authorization") != "Basic bWU6cA==" {
                        connection.respond("401 No", ["WWW-Authenticate: Basic realm=\"x\""])
                        return
                    }
                } else if !door.admits(request, connection) {
                    return
                }
                large.serve(request, connection)
            }) { fixture, server in
                var specification = fixture.specification(server.url("/f"))
                (specification.credential, specification.connections) = (Credential(user: "me", password: "p"), 4)
                let (outcome, _) = await fixture.run(specification)
                #expect(outcome.completion?.status == 200, "\(outcome)")
                let isRight = fixture.contents(outcome) == large.bytes
                #expect(isRight)
                let pieces = server.requests.filter { $0.range != nil }
                #expect(pieces.count >= 3, "\(server.requests.map { $0.range?.first })")
                #expect(pieces.allSatisfy { $0.value("Authorization") != nil })
                if kind == .digest { #expect(door.refusals == 1) }
            }
        }

        @Test(
            "Digest challenges receive credentials", arguments: ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess"],
            [true, false])
        func digest(algorithm: String, usesCurl: Bool) async throws {
            let door = DigestGuard(user: "me \"you\"", password: "p:a\"ss", algorithm: algorithm)
            try await ExecutorFixture.run(
                usesCurl: usesCurl,
                handler: { request, connection in
                    if door.admits(request, connection) { Self.file.serve(request, connection) }
                }
            ) { fixture, server in
                var specification = fixture.specification(server.url("/f,g/../h;a=\"b\"?x=y&z"))
                specification.credential = Credential(user: "me \"you\"", password: "p:a\"ss")
                let (outcome, _) = await fixture.run(specification)
                #expect(fixture.contents(outcome) == Self.file.bytes, "\(outcome)")
                #expect(door.refusals == 1)
                #expect(server.requests.count == 2)
            }
        }

        @Test(
            "N4: a user and password are sent with the first request, to their own server only",
            arguments: ["404 Not Found", "401 Unauthorized", "403 Forbidden"])
        func strangers(answer: String) async throws {
            let other = try HostileServer(handler: Self.file.serve)
            defer { other.stop() }
            try await ExecutorFixture.run(handler: { request, connection in
                if request.value("Authorization") != "Basic YTpi" {
                    connection.respond(answer, [])
                } else if request.target == "/f" {
                    Self.file.serve(request, connection)
                } else {
                    connection.respond(
                        "302 Found", ["Location: " + (request.target == "/away" ? other.url("/f") : "/f")])
                }
            }) { fixture, server in
                for path in ["/f", "/near", "/away"] {
                    var specification = fixture.specification(server.url(path), name: nil)
                    specification.credential = Credential(user: "a", password: "b")
                    let (outcome, _) = await fixture.run(specification)
                    #expect(fixture.contents(outcome) == Self.file.bytes, "\(path): \(outcome)")
                }
                #expect(server.requests.allSatisfy { $0.value("Authorization") == "Basic YTpi" })
                #expect(!other.requests.isEmpty && other.requests.allSatisfy { $0.value("Authorization") == nil })
            }
        }
    }
}
