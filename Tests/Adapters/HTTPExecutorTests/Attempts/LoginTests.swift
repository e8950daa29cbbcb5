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

        @Test("Two fields with one challenge each are both read", arguments: [true, false])
        func twoFields(usesCurl: Bool) async throws {
            try await ExecutorFixture.run(
                usesCurl: usesCurl,
                handler: { request, connection in
                    if request.value("Authorization") == "Basic bWU6eW91" {
                        return Self.file.serve(request, connection)
                    }
                    connection.respond(
                        "401 No", ["WWW-Authenticate: Negotiate", "WWW-Authenticate: Basic realm=\"x\""])
                }
            ) { fixture, server in
                var specification = fixture.specification(server.url("/f"))
                specification.credential = Credential(user: "me", password: "you")
                #expect(fixture.contents(await fixture.run(specification).0) == Self.file.bytes)
                #expect(server.requests.allSatisfy { $0.value("Authorization") != nil })
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

        @Test("A login that the executor cannot provide is passed to the app on request, and the bytes are kept")
        func challenged() async throws {
            try await ExecutorFixture.run(handler: { request, connection in
                if request.value("Authorization") == "Bearer t" { return Self.file.serve(request, connection) }
                connection.respond("401 No", ["WWW-Authenticate: Bearer realm=\"x\""], body: Array("no".utf8))
            }) { fixture, server in
                var specification = fixture.specification(server.url("/f"))
                specification.asksForCredentials = true
                let resume = try fixture.leavePartial(Self.file.bytes[..<100_000], total: 200_000, tag: "\"v1\"")
                let (outcome, recorder) = await fixture.run(specification, resume: resume)
                let origin = "http://127.0.0.1:\(server.port)"
                guard case .challenged(let challenges, let kept?) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(challenges == [AuthenticationChallenge(scheme: .bearer, realm: "x", origin: origin)])
                #expect(kept.offset == 100_000)
                #expect(recorder.reports.first?.isResponse == true)
                specification.challengeResponses = [
                    StoredChallengeResponse(
                        origin: origin, answer: .headers([HeaderField(name: "Authorization", value: "Bearer t")]))
                ]
                let (finished, _) = await fixture.run(specification, resume: kept)
                #expect(fixture.contents(finished) == Self.file.bytes)
                #expect(server.requests.last?.range?.first ?? 0 >= 100_000)
            }
        }

        @Test("A proxy that requires a login is named, for http and for a tunnel", arguments: ["http", "https"])
        func proxy(scheme: String) async throws {
            let proxy = try HostileServer { _, connection in
                connection.respond(
                    "407 Proxy Authentication Required", ["Proxy-Authenticate: Basic realm=\"x\""],
                    body: Array("no".utf8))
            }
            defer { proxy.stop() }
            let url = proxy.url("").replacing("http://", with: "http://user:wrong@")
            try await ExecutorFixture.run(configure: { $0.proxy = url }, handler: Self.file.serve) { fixture, _ in
                let failure = await fixture.fetch("\(scheme)://far.invalid/f").failure
                #expect(failure?.cause == .proxyAuthentication)
                #expect(failure?.message.contains("127.0.0.1:\(proxy.port)") == true)
                #expect(failure?.message.contains("wrong") == false)
                #expect(proxy.requests.count == 1)
            }
        }
    }
}

extension ExecutorReport {
    fileprivate var isResponse: Bool { if case .responded(let delay) = self { delay > .zero } else { false } }
}
