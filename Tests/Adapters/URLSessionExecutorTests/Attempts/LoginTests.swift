// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

extension ExecutorTests {
    /// Tests of servers and proxies that require a login, with the real client.
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct LoginTests {
        private static let file = ServedFile(bytes: ServedFile.content(200_000))

        private func rules(_ change: (inout DigestGuard.Rules) -> Void = { _ in }) -> DigestGuard.Rules {
            var rules = DigestGuard.Rules()
            change(&rules)
            return rules
        }

        private func fetch(
            _ rules: DigestGuard.Rules, usesInterposer: Bool = true, password: String = "p:a\"ss",
            _ check: (ExecutorFixture, HostileServer, DigestGuard, ExecutorOutcome) async throws -> Void
        ) async throws {
            let door = DigestGuard(user: "me \"you\"", password: "p:a\"ss", rules: rules)
            try await ExecutorFixture.run(
                usesInterposer: usesInterposer,
                handler: { request, connection in
                    if door.admits(request, connection) { Self.file.serve(request, connection) }
                }
            ) { fixture, server in
                var specification = fixture.specification(server.url("/f,g/../h;a=\"b\"?x=y&z"))
                specification.credential = Credential(user: "me \"you\"", password: password)
                try await check(fixture, server, door, await fixture.run(specification).0)
            }
        }

        /// The login that a server requires for each piece.
        enum Door: CaseIterable { case basic, digest, oneTimeNonces }

        @Test(
            "A large file that requires a login arrives in segments, each with its own credentials",
            arguments: Door.allCases)
        func largeFile(_ kind: Door) async throws {
            let large = ServedFile(bytes: ServedFile.content(12_000_000))
            let door = DigestGuard(
                user: "me", password: "p", rules: rules { if kind == .oneTimeNonces { $0.requestsPerNonce = 1 } })
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
                let pieces = server.requests.filter { ($0.range?.first ?? 0) > 65536 }
                #expect(pieces.count >= 3, "\(server.requests.map { $0.range?.first })")
                #expect(pieces.allSatisfy { $0.value("Authorization") != nil })
                if kind == .digest { #expect(door.refusals == 1) }
            }
        }

        @Test("Rejected segments end the attempt as challenged if the app handles challenges, and keep the bytes")
        func piecesChallenged() async throws {
            let large = ServedFile(bytes: ServedFile.content(12_000_000))
            try await ExecutorFixture.run(handler: { request, connection in
                if (request.range?.first ?? 0) >= 65536 {
                    connection.respond("401 No", ["WWW-Authenticate: Bearer realm=\"x\""])
                } else {
                    large.serve(request, connection)
                }
            }) { fixture, server in
                var specification = fixture.specification(server.url("/f"))
                (specification.asksForCredentials, specification.connections) = (true, 4)
                guard case .challenged(let challenges, let resume?) = await fixture.run(specification).0 else {
                    Issue.record("not challenged")
                    return
                }
                #expect(challenges.map(\.scheme) == [.bearer])
                #expect(resume.offset == 65536)
            }
        }

        @Test(
            "Digest challenges receive credentials", arguments: ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess"],
            [true, false])
        func digest(algorithm: String, usesInterposer: Bool) async throws {
            try await fetch(rules { $0.algorithm = algorithm }, usesInterposer: usesInterposer) {
                fixture, server, door, outcome in
                #expect(fixture.contents(outcome) == Self.file.bytes, "\(outcome)")
                #expect(door.refusals == 1)
                #expect(server.requests.count == 3)
            }
        }

        @Test("Old Digest challenges without qop receive credentials, too")
        func oldDigest() async throws {
            try await fetch(rules { $0.hasQuality = false }) { fixture, _, door, outcome in
                #expect(fixture.contents(outcome) == Self.file.bytes)
                #expect(door.refusals == 1)
            }
        }

        @Test("A nonce for a single request is followed by the next nonce")
        func oneTimeNonces() async throws {
            try await fetch(rules { $0.requestsPerNonce = 1 }) { fixture, server, door, outcome in
                #expect(fixture.contents(outcome) == Self.file.bytes)
                #expect(door.refusals == 2)
                #expect(server.requests.count == 4)
            }
        }

        @Test("A wrong password and a server that calls every nonce stale end with 401, not in a loop")
        func noLoop() async throws {
            try await fetch(rules(), password: "wrong") { _, server, _, outcome in
                #expect(outcome.completion?.status == 401)
                #expect(server.requests.count == 2)
            }
            try await fetch(rules { $0.rejectsAllAsStale = true }) { _, server, _, outcome in
                #expect(outcome.completion?.status == 401)
                #expect(server.requests.count == Authenticator.maximumConsecutiveAttempts + 1)
            }
        }

        @Test(
            "Digest is found among other schemes in a single field", arguments: [true, false],
            [
                ("Basic realm=\"a, Digest nonce=x\", ", ""), ("Negotiate abc==, ", ", NTLM"),
                ("", ", Basic realm=\"b\""),
            ])
        func manySchemes(usesInterposer: Bool, around: (before: String, after: String)) async throws {
            try await fetch(rules { ($0.before, $0.after) = around }, usesInterposer: usesInterposer) {
                fixture, server, _, outcome in
                #expect(fixture.contents(outcome) == Self.file.bytes, "\(outcome)")
                #expect(!server.requests.contains { $0.value("Authorization")?.hasPrefix("Basic") == true })
            }
        }

        @Test("Two fields with one challenge each are both read", arguments: [true, false])
        func twoFields(usesInterposer: Bool) async throws {
            try await ExecutorFixture.run(
                usesInterposer: usesInterposer,
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
                #expect(server.requests.map { $0.value("Authorization") != nil } == [false, true, true])
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

        @Test(
            "A token that expires during a download is requested again, and the download continues with the new token")
        func expired() async throws {
            try await ExecutorFixture.run(handler: { request, connection in
                let isOld = request.value("Authorization") == "Bearer old" && request.range?.first == 0
                if isOld || request.value("Authorization") == "Bearer new" {
                    return Self.file.serve(request, connection)
                }
                connection.respond("401 No", ["WWW-Authenticate: Bearer error=\"invalid_token\""])
            }) { fixture, server in
                let origin = "http://127.0.0.1:\(server.port)"
                var specification = fixture.specification(server.url("/f"))
                specification.asksForCredentials = true
                func give(_ token: String) {
                    let field = HeaderField(name: "Authorization", value: "Bearer \(token)")
                    specification.challengeResponses = [
                        StoredChallengeResponse(origin: origin, answer: .headers([field]))
                    ]
                }
                give("old")
                let (outcome, _) = await fixture.run(specification)
                guard case .challenged(let challenges, let kept?) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(challenges == [AuthenticationChallenge(scheme: .bearer, realm: nil, origin: origin)])
                #expect(kept.offset > 0)
                give("new")
                let (finished, _) = await fixture.run(specification, resume: kept)
                #expect(fixture.contents(finished) == Self.file.bytes)
                #expect(server.requests.last?.range?.first ?? 0 >= kept.offset)
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
