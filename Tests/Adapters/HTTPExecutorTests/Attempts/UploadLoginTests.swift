// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

extension ExecutorTests {
    /// Tests of uploads to servers and through proxies that require a login.
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct UploadLoginTests {
        private static let credential = Credential(user: "me", password: "p")

        @Test(
            "After a Digest challenge, the whole body follows with credentials", arguments: [true, false],
            UploadSource.Method.allCases)
        func digest(usesCurl: Bool, method: UploadSource.Method) async throws {
            let received = Received()
            let door = DigestGuard(user: "me", password: "p")
            let bytes = ExecutorFixture.blocks(2)
            try await ExecutorFixture.run(
                usesCurl: usesCurl,
                handler: { request, connection in
                    // Some servers read the whole body before they refuse it.
                    guard let body = connection.readBody(of: request), door.admits(request, connection) else { return }
                    received.keep(body)
                    connection.respond("201 Created")
                }
            ) { fixture, server in
                var specification = try fixture.upload(bytes, to: server.url("/f"), method, resumption: .never)
                specification.credential = Self.credential
                let (outcome, _) = await fixture.run(specification)
                #expect(outcome.completion?.status == 201, "\(outcome)")
                expectSame(received.bodies, [bytes])
                #expect(door.refusals == 1)
            }
        }

        @Test("A challenge without credentials is passed to the app or is final; a wrong password is tried once")
        func unanswered() async throws {
            try await ExecutorFixture.run(handler: { request, connection in
                _ = connection.readBody(of: request)
                connection.respond("401 No", ["WWW-Authenticate: Basic realm=\"x\""], body: Array("who?".utf8))
            }) { fixture, server in
                var specification = try fixture.upload([1, 2, 3], to: server.url("/f"))
                let (plain, _) = await fixture.run(specification)
                #expect(plain.completion?.status == 401)
                #expect(plain.responseText == "who?")
                #expect(server.requests.count == 1)
                specification.credential = Self.credential
                #expect(await fixture.run(specification).0.completion?.status == 401)
                #expect(server.requests.count == 2)
                specification.asksForCredentials = true
                guard case .challenged(let challenges, nil) = await fixture.run(specification).0 else {
                    Issue.record("not challenged")
                    return
                }
                let origin = "http://127.0.0.1:\(server.port)"
                #expect(
                    challenges == [
                        AuthenticationChallenge(scheme: .basic, realm: "x", origin: origin, wasRefused: true)
                    ])
            }
        }

        @Test("A proxy that requires a login is named, and its response is not attributed to the server")
        func proxy() async throws {
            let proxy = try HostileServer { request, connection in
                _ = connection.readBody(of: request)
                connection.respond("407 Proxy Authentication Required", ["Proxy-Authenticate: Basic realm=\"x\""])
            }
            defer { proxy.stop() }
            try await ExecutorFixture.run(configure: { $0.proxy = proxy.url("") }, handler: { _, _ in }) { fixture, _ in
                let specification = try fixture.upload([1, 2, 3], to: "http://far.invalid/f")
                let failure = await fixture.run(specification).0.failure
                #expect(failure?.cause == .proxyAuthentication, "\(String(describing: failure))")
                #expect(failure?.message.contains("127.0.0.1:\(proxy.port)") == true)
            }
        }
    }
}
