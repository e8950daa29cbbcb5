// SPDX-License-Identifier: Apache-2.0
import CurlTransport
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
    struct RedirectTests {
        private static let small = ServedFile(bytes: ServedFile.content(1000))

        /// Downloads from a public address through a proxy, which redirects to a server of this machine.
        private func redirectFromPublicServer(
            allowing: Bool = false, sandboxed: Bool = false, location: (HostileServer) -> String
        ) async throws -> (outcome: ExecutorOutcome, requests: Int) {
            let local = try HostileServer(handler: Self.small.serve)
            defer { local.stop() }
            let target = location(local)
            let proxy = try HostileServer { request, connection in
                if request.target.contains("203.0.113.5") {
                    connection.respond("302 Found", ["Location: \(target)"])
                } else {
                    // The proxy would reach the server, too.
                    Self.small.serve(request, connection)
                }
            }
            defer { proxy.stop() }
            var result: (ExecutorOutcome, Int)?
            let url = proxy.url("")
            try await ExecutorFixture.run(
                configure: { ($0.proxy, $0.allowsLocalRedirects) = (url, allowing) }, handler: Self.small.serve
            ) { fixture, _ in
                var specification = fixture.specification("http://203.0.113.5/f", name: nil)
                specification.isSandboxed = sandboxed
                let outcome = await fixture.run(specification).0
                result = (outcome, proxy.requests.count + local.requests.count - 1)
            }
            return try #require(result)
        }

        @Test("N3: cookies of a redirect return to their own host, also in segments and after another host")
        func cookies() async throws {
            let large = ServedFile(bytes: ServedFile.content(12_000_000))
            // Another name for the same machine is another host.
            let other = try HostileServer { request, connection in
                connection.respond(
                    "302 Found", ["Location: \(request.target.dropFirst())", "Set-Cookie: theirs=1; Path=/"])
            }
            defer { other.stop() }
            try await ExecutorFixture.run(handler: { request, connection in
                switch request.target {
                case "/start":
                    let back = "http://127.0.0.1:\(request.value("Host")?.split(separator: ":").last ?? "")/file"
                    connection.respond(
                        "302 Found",
                        [
                            "Set-Cookie: sid=42; Path=/; HttpOnly", "Set-Cookie: off=1; Path=/x",
                            "Location: \(other.url("/").replacing("127.0.0.1", with: "localhost"))\(back)",
                        ])
                default:
                    if request.value("Cookie") == "sid=42" {
                        large.serve(request, connection)
                    } else {
                        connection.respond("403 Forbidden", [])
                    }
                }
            }) { fixture, server in
                var specification = fixture.specification(server.url("/start"))
                specification.connections = 3
                let (outcome, _) = await fixture.run(specification)
                let isRight = fixture.contents(outcome) == large.bytes
                #expect(isRight, "\(outcome)")
                #expect(server.requests.count >= 3)
                #expect(other.requests.map { $0.value("Cookie") } == [nil])
            }
        }

        @Test("A public server does not redirect to this machine or its network")
        func local() async throws {
            for location in [
                "http://127.0.0.1:PORT/f", "http://localhost:PORT/f", "//2130706433:PORT/", "http://192.168.1.1/",
            ] {
                let (outcome, requests) = try await redirectFromPublicServer {
                    location.replacing("PORT", with: "\($0.port)")
                }
                #expect(outcome.failure?.cause == .redirect, "\(location): \(outcome)")
                #expect(outcome.failure?.message.hasPrefix("203.0.113.5 redirects to ") == true)
                #expect(outcome.failure?.message.contains("--allow-local-redirects") == true)
                #expect(requests == 0)
            }
        }

        @Test("The user can allow such redirects, but not for a sandboxed program", arguments: [false, true])
        func allowedLocal(sandboxed: Bool) async throws {
            let (outcome, _) = try await redirectFromPublicServer(allowing: true, sandboxed: sandboxed) { $0.url("/f") }
            #expect((outcome.failure?.cause == .redirect) == sandboxed, "\(outcome)")
            #expect((outcome.completion != nil) == !sandboxed, "\(outcome)")
        }

        @Test(
            "The first server decides whether a chain may lead to this machine",
            arguments: [
                (["http://203.0.113.5/a"], "http://10.0.0.1/", false),
                (["http://example.org/a"], "http://nas.local/", false),
                (["http://example.org/a", "http://203.0.113.5/"], "http://[::1]/", false),
                (["http://10.0.0.1/a"], "http://192.168.1.1/", true), (["http://nas/a"], "http://127.0.0.1/", true),
                (["http://nas/a", "http://example.org/b"], "http://10.0.0.1/", true),
                (["http://example.org/a"], "http://203.0.113.5/", true),
                (["http://[::1]/a"], "http://example.org/", true),
            ])
        func chains(visited: [String], location: String, follows: Bool) {
            let rule = RedirectRule(allowsInsecure: false)
            let decision = rule.next(location: location, from: visited.last ?? "", fields: [], visited: visited)
            if case .follow = decision { #expect(follows) } else { #expect(!follows) }
            var allowing = rule
            allowing.allowsLocal = true
            guard
                case .follow = allowing.next(location: location, from: visited.last ?? "", fields: [], visited: visited)
            else { return #expect(Bool(false), "\(location)") }
        }

        @Test("A redirect's name is checked by its addresses, unless the names alone decide or a proxy resolves them")
        func addressChecks() throws {
            #expect(!AddressCheck(first: "203.0.113.5", target: "localhost").passes())
            #expect(AddressCheck(first: "localhost", target: "localhost").passes())
            #expect(AddressCheck(first: "203.0.113.5", target: "nowhere.invalid").passes())
            var plan = RequestPlan(url: "http://a.example/f", headers: [], userAgent: "")
            #expect(
                plan.addressCheck(of: "http://b.example:8/f") == AddressCheck(first: "a.example", target: "b.example"))
            for same in ["http://a.example/g", "https://a.example:1/", "http://127.0.0.1/"] {
                #expect(plan.addressCheck(of: same) == nil)
            }
            plan.allowsLocalRedirect = true
            #expect(plan.addressCheck(of: "http://b.example/f") == nil)
            plan = RequestPlan(url: "http://nas.local/f", headers: [], userAgent: "")
            #expect(plan.addressCheck(of: "http://b.example/f") == nil)
            for (proxy, isChecked) in [(nil, true), ("http://127.0.0.1:9", false)] as [(String?, Bool)] {
                var configuration = HTTPExecutorConfiguration(partialDirectory: "/nowhere")
                configuration.proxy = proxy
                let environment = try ExecutorEnvironment(configuration: configuration, transport: .curl)
                let plan = RequestPlan(url: "http://a.example/f", headers: [], userAgent: "")
                #expect((environment.addressCheck(of: "http://b.example/f", plan) != nil) == isChecked)
            }
        }

        @Test("A request that fails the check of its addresses is not sent", arguments: [true, false])
        func failedCheck(usesCurl: Bool) async throws {
            try await ExecutorFixture.run(usesCurl: usesCurl, handler: Self.small.serve) { fixture, server in
                let environment = fixture.executor.environment
                for (first, code) in [("203.0.113.5", AddressCheck.errorCode), ("localhost", nil)] as [(String, Int?)] {
                    let receiver = CheckedReceiver(consumer: environment.consumer)
                    _ = environment.send(
                        RequestHead(url: server.url("/f"), fields: []), timeoutSeconds: 10,
                        check: AddressCheck(first: first, target: "localhost"), to: receiver)
                    let error = await receiver.end()
                    #expect(error?.code == code)
                    #expect(server.requests.count == (code == nil ? 1 : 0))
                }
            }
            let failure = TransportFailure.failure(code: AddressCheck.errorCode, text: "", host: "b.example")
            #expect(failure.cause == .redirect && failure.message.contains("--allow-local-redirects"))
        }
    }
}

/// Waits for the end of a request.
private actor CheckedReceiver: ExchangeReceiver {
    nonisolated let consumer: ConsumerExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { consumer.asUnownedSerialExecutor() }
    private let (ends, ending) = AsyncStream.makeStream(of: TransportError?.self)

    init(consumer: ConsumerExecutor) { self.consumer = consumer }

    func exchange(_ exchange: Exchange, received head: ResponseHead) {}
    func exchange(_ exchange: Exchange, received bytes: Data) {}
    func exchange(_ exchange: Exchange, endedWith failure: TransportError?) { ending.yield(failure) }

    /// Returns the error of the request, or `nil` if it succeeded.
    nonisolated func end() async -> TransportError? {
        for await error in ends { return error }
        return nil
    }
}
