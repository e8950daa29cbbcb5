// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

extension ExecutorTests {
    /// Tests of uploads to servers and through proxies that require a login.
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct UploadLoginTests {
        private static let credential = Credential(user: "me", password: "p")

        @Test(
            "a Digest challenge is answered, and the whole body follows", arguments: [true, false],
            UploadSource.Method.allCases)
        func digest(repaired: Bool, method: UploadSource.Method) async throws {
            let received = Received()
            let door = DigestGuard(user: "me", password: "p")
            let bytes = Bench.blocks(2)
            try await Bench.run(
                repaired: repaired,
                handler: { request, connection in
                    // Some servers read the whole body before they refuse it.
                    guard let body = connection.readBody(of: request), door.admits(request, connection) else { return }
                    received.keep(body)
                    connection.answer("201 Created")
                }
            ) { bench, server in
                var specification = try bench.upload(bytes, to: server.url("/f"), method, resumption: .never)
                specification.credential = Self.credential
                let (outcome, _) = await bench.run(specification)
                #expect(outcome.completion?.status == 201, "\(outcome)")
                expectSame(received.bodies, [bytes])
                #expect(door.refusals == 1)
            }
        }

        @Test("Basic is told when it is asked for, and a body that is refused early is not sent to its end")
        func basic() async throws {
            let received = Received()
            let bytes = Bench.blocks(30)
            try await Bench.run(handler: { request, connection in
                guard request.value("Authorization") == "Basic bWU6cA==" else {
                    connection.answer("401 No", ["WWW-Authenticate: Basic realm=\"x\"", "Connection: close"])
                    connection.waitForClient()
                    return
                }
                if received.take(request, connection) { connection.answer("204 No Content") }
            }) { bench, server in
                var specification = try bench.upload(bytes, to: server.url("/f"))
                specification.credential = Self.credential
                let (outcome, _) = await bench.run(specification)
                #expect(outcome.completion?.status == 204, "\(outcome)")
                expectSame(received.bodies, [bytes])
                #expect(server.requests.map { $0.value("Authorization") != nil } == [false, true])
            }
        }

        @Test("each request of a resumable upload carries its own answer")
        func tus() async throws {
            let door = DigestGuard(user: "me", password: "p")
            let tus = TusServer()
            let bytes = Bench.blocks(1)
            try await Bench.run(handler: { request, connection in
                guard door.admits(request, connection) else { return }
                tus.serve(request, connection)
            }) { bench, server in
                var specification = try bench.upload(bytes, to: server.url("/files"), .post)
                specification.credential = Self.credential
                let (outcome, _) = await bench.run(specification)
                #expect(outcome.completion?.status == 204, "\(outcome)")
                #expect(server.requests.map(\.method) == ["OPTIONS", "OPTIONS", "POST", "PATCH"])
                #expect(door.refusals == 1)
            }
        }

        @Test("what nobody can answer is the app's affair, or final; a wrong password is tried once")
        func unanswered() async throws {
            try await Bench.run(handler: { request, connection in
                _ = connection.readBody(of: request)
                connection.answer("401 No", ["WWW-Authenticate: Basic realm=\"x\""], body: Array("who?".utf8))
            }) { bench, server in
                var specification = try bench.upload([1, 2, 3], to: server.url("/f"))
                let (plain, _) = await bench.run(specification)
                #expect(plain.completion?.status == 401)
                #expect(plain.answerText == "who?")
                #expect(server.requests.count == 1)
                specification.credential = Self.credential
                #expect(await bench.run(specification).0.completion?.status == 401)
                #expect(server.requests.count == 3)
                specification.asksForCredentials = true
                guard case .challenged(let challenges, nil) = await bench.run(specification).0 else {
                    Issue.record("not challenged")
                    return
                }
                let origin = "http://127.0.0.1:\(server.port)"
                #expect(
                    challenges == [
                        AuthenticationChallenge(scheme: .basic, realm: "x", origin: origin, wasAnswered: true)
                    ])
            }
        }

        @Test("a proxy that wants a login is named, and its words are not taken for the server's")
        func proxy() async throws {
            let proxy = try HostileServer { request, connection in
                _ = connection.readBody(of: request)
                connection.answer("407 Proxy Authentication Required", ["Proxy-Authenticate: Basic realm=\"x\""])
            }
            defer { proxy.stop() }
            try await Bench.run(configure: { $0.proxy = proxy.url("") }, handler: { _, _ in }) { bench, _ in
                let specification = try bench.upload([1, 2, 3], to: "http://far.invalid/f")
                let failure = await bench.run(specification).0.failure
                #expect(failure?.cause == .proxyAuthentication, "\(String(describing: failure))")
                #expect(failure?.message.contains("127.0.0.1:\(proxy.port)") == true)
            }
        }
    }
}
