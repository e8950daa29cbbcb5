// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
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
            _ rules: DigestGuard.Rules, repaired: Bool = true, password: String = "p:a\"ss",
            _ check: (Bench, HostileServer, DigestGuard, ExecutorOutcome) async throws -> Void
        ) async throws {
            let door = DigestGuard(user: "me \"you\"", password: "p:a\"ss", rules: rules)
            try await Bench.run(
                repaired: repaired,
                handler: { request, connection in
                    if door.admits(request, connection) { Self.file.serve(request, connection) }
                }
            ) { bench, server in
                var specification = bench.specification(server.url("/f,g/../h;a=\"b\"?x=y&z"))
                specification.credential = Credential(user: "me \"you\"", password: password)
                try await check(bench, server, door, await bench.run(specification).0)
            }
        }

        /// The login that a server requires for each piece.
        enum Door: CaseIterable { case basic, digest, oneTimeNonces }

        @Test("a large file that wants a login comes in pieces, each with its own answer", arguments: Door.allCases)
        func largeFile(_ kind: Door) async throws {
            let large = ServedFile(bytes: ServedFile.content(12_000_000))
            let door = DigestGuard(
                user: "me", password: "p", rules: rules { if kind == .oneTimeNonces { $0.requestsPerNonce = 1 } })
            try await Bench.run(handler: { request, connection in
                if kind == .basic {
                    if request.value("Authorization") != "Basic bWU6cA==" {
                        connection.answer("401 No", ["WWW-Authenticate: Basic realm=\"x\""])
                        return
                    }
                } else if !door.admits(request, connection) {
                    return
                }
                large.serve(request, connection)
            }) { bench, server in
                var specification = bench.specification(server.url("/f"))
                (specification.credential, specification.connections) = (Credential(user: "me", password: "p"), 4)
                let (outcome, _) = await bench.run(specification)
                #expect(outcome.completion?.status == 200, "\(outcome)")
                let isRight = bench.contents(outcome) == large.bytes
                #expect(isRight)
                let pieces = server.requests.filter { ($0.range?.first ?? 0) > 65536 }
                #expect(pieces.count >= 3, "\(server.requests.map { $0.range?.first })")
                #expect(pieces.allSatisfy { $0.value("Authorization") != nil })
                if kind == .digest { #expect(door.refusals == 1) }
            }
        }

        @Test("pieces that are refused end the attempt as challenged, where the app answers challenges; bytes stay")
        func piecesChallenged() async throws {
            let large = ServedFile(bytes: ServedFile.content(12_000_000))
            try await Bench.run(handler: { request, connection in
                if (request.range?.first ?? 0) >= 65536 {
                    connection.answer("401 No", ["WWW-Authenticate: Bearer realm=\"x\""])
                } else {
                    large.serve(request, connection)
                }
            }) { bench, server in
                var specification = bench.specification(server.url("/f"))
                (specification.asksForCredentials, specification.connections) = (true, 4)
                guard case .challenged(let challenges, let resume?) = await bench.run(specification).0 else {
                    Issue.record("not challenged")
                    return
                }
                #expect(challenges.map(\.scheme) == [.bearer])
                #expect(resume.offset == 65536)
            }
        }

        @Test(
            "Digest servers are answered", arguments: ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess"], [true, false])
        func digest(algorithm: String, repaired: Bool) async throws {
            try await fetch(rules { $0.algorithm = algorithm }, repaired: repaired) { bench, server, door, outcome in
                #expect(bench.contents(outcome) == Self.file.bytes, "\(outcome)")
                #expect(door.refusals == 1)
                #expect(server.requests.count == 3)
            }
        }

        @Test("old Digest servers without qop are answered too")
        func oldDigest() async throws {
            try await fetch(rules { $0.hasQuality = false }) { bench, _, door, outcome in
                #expect(bench.contents(outcome) == Self.file.bytes)
                #expect(door.refusals == 1)
            }
        }

        @Test("a nonce that is good for one request is followed by the next")
        func oneTimeNonces() async throws {
            try await fetch(rules { $0.requestsPerNonce = 1 }) { bench, server, door, outcome in
                #expect(bench.contents(outcome) == Self.file.bytes)
                #expect(door.refusals == 2)
                #expect(server.requests.count == 4)
            }
        }

        @Test("a wrong password and a server that calls everything stale end with 401, not in a circle")
        func noLoop() async throws {
            try await fetch(rules(), password: "wrong") { _, server, _, outcome in
                #expect(outcome.completion?.status == 401)
                #expect(server.requests.count == 2)
            }
            try await fetch(rules { $0.callsAllStale = true }) { _, server, _, outcome in
                #expect(outcome.completion?.status == 401)
                #expect(server.requests.count == Authenticator.longestRow + 1)
            }
        }

        @Test(
            "Digest is found among other schemes in one field", arguments: [true, false],
            [
                ("Basic realm=\"a, Digest nonce=x\", ", ""), ("Negotiate abc==, ", ", NTLM"),
                ("", ", Basic realm=\"b\""),
            ])
        func manySchemes(repaired: Bool, around: (before: String, after: String)) async throws {
            try await fetch(rules { ($0.before, $0.after) = around }, repaired: repaired) { bench, server, _, outcome in
                #expect(bench.contents(outcome) == Self.file.bytes, "\(outcome)")
                #expect(!server.requests.contains { $0.value("Authorization")?.hasPrefix("Basic") == true })
            }
        }

        @Test("two fields with a challenge each are both read", arguments: [true, false])
        func twoFields(repaired: Bool) async throws {
            try await Bench.run(
                repaired: repaired,
                handler: { request, connection in
                    if request.value("Authorization") == "Basic bWU6eW91" {
                        return Self.file.serve(request, connection)
                    }
                    connection.answer("401 No", ["WWW-Authenticate: Negotiate", "WWW-Authenticate: Basic realm=\"x\""])
                }
            ) { bench, server in
                var specification = bench.specification(server.url("/f"))
                specification.credential = Credential(user: "me", password: "you")
                #expect(bench.contents(await bench.run(specification).0) == Self.file.bytes)
                #expect(server.requests.map { $0.value("Authorization") != nil } == [false, true, true])
            }
        }

        @Test("a server's login that nobody can answer is the app's affair where it wants that; bytes are kept")
        func challenged() async throws {
            try await Bench.run(handler: { request, connection in
                if request.value("Authorization") == "Bearer t" { return Self.file.serve(request, connection) }
                connection.answer("401 No", ["WWW-Authenticate: Bearer realm=\"x\""], body: Array("no".utf8))
            }) { bench, server in
                var specification = bench.specification(server.url("/f"))
                specification.asksForCredentials = true
                let resume = try bench.leavePartial(Self.file.bytes[..<100_000], total: 200_000, tag: "\"v1\"")
                let (outcome, recorder) = await bench.run(specification, resume: resume)
                let origin = "http://127.0.0.1:\(server.port)"
                guard case .challenged(let challenges, let kept?) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(challenges == [AuthenticationChallenge(scheme: .bearer, realm: "x", origin: origin)])
                #expect(kept.offset == 100_000)
                #expect(recorder.reports.first?.isAnswer == true)
                specification.answeredChallenges = [
                    AnsweredChallenge(
                        origin: origin, answer: .headers([HeaderField(name: "Authorization", value: "Bearer t")]))
                ]
                let (finished, _) = await bench.run(specification, resume: kept)
                #expect(bench.contents(finished) == Self.file.bytes)
                #expect(server.requests.last?.range?.first ?? 0 >= 100_000)
            }
        }

        @Test("a token that expires midway is asked for anew, and with the new one the rest comes")
        func expired() async throws {
            try await Bench.run(handler: { request, connection in
                let isOld = request.value("Authorization") == "Bearer old" && request.range?.first == 0
                if isOld || request.value("Authorization") == "Bearer new" {
                    return Self.file.serve(request, connection)
                }
                connection.answer("401 No", ["WWW-Authenticate: Bearer error=\"invalid_token\""])
            }) { bench, server in
                let origin = "http://127.0.0.1:\(server.port)"
                var specification = bench.specification(server.url("/f"))
                specification.asksForCredentials = true
                func give(_ token: String) {
                    let field = HeaderField(name: "Authorization", value: "Bearer \(token)")
                    specification.answeredChallenges = [AnsweredChallenge(origin: origin, answer: .headers([field]))]
                }
                give("old")
                let (outcome, _) = await bench.run(specification)
                guard case .challenged(let challenges, let kept?) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(challenges == [AuthenticationChallenge(scheme: .bearer, realm: nil, origin: origin)])
                #expect(kept.offset > 0)
                give("new")
                let (finished, _) = await bench.run(specification, resume: kept)
                #expect(bench.contents(finished) == Self.file.bytes)
                #expect(server.requests.last?.range?.first ?? 0 >= kept.offset)
            }
        }

        @Test("a proxy that wants a login is named, for http and for a tunnel", arguments: ["http", "https"])
        func proxy(scheme: String) async throws {
            let proxy = try HostileServer { _, connection in
                connection.answer(
                    "407 Proxy Authentication Required", ["Proxy-Authenticate: Basic realm=\"x\""],
                    body: Array("no".utf8))
            }
            defer { proxy.stop() }
            let url = proxy.url("").replacing("http://", with: "http://user:wrong@")
            try await Bench.run(configure: { $0.proxy = url }, handler: Self.file.serve) { bench, _ in
                let failure = await bench.fetch("\(scheme)://far.invalid/f").failure
                #expect(failure?.cause == .proxyAuthentication)
                #expect(failure?.message.contains("127.0.0.1:\(proxy.port)") == true)
                #expect(failure?.message.contains("wrong") == false)
                #expect(proxy.requests.count == 1)
            }
        }
    }
}

extension ExecutorReport {
    fileprivate var isAnswer: Bool { if case .answered(let delay) = self { delay > .zero } else { false } }
}
