// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct HostileResponseTests {
        private static let small = ServedFile(bytes: ServedFile.content(1000))

        @Test(
            "A stall before the response or within the body ends with the idle timeout", arguments: [true, false],
            [true, false])
        func stall(inBody: Bool, usesInterposer: Bool) async throws {
            try await ExecutorFixture.run(
                usesInterposer: usesInterposer,
                handler: { request, connection in
                    if inBody { Self.small.serve(request, connection, onlyBytes: 500) }
                    connection.waitForClient()
                }
            ) { fixture, server in
                var specification = fixture.specification(server.url("/f"))
                specification.idleTimeoutSeconds = 1
                let (outcome, _) = await fixture.run(specification)
                #expect(outcome.failure?.cause == .timeout)
                #expect(outcome.resume?.offset == (inBody ? 500 : nil))
            }
        }

        @Test("A server that sends bytes very slowly is too slow")
        func drip() async throws {
            try await ExecutorFixture.run(
                configure: { ($0.lowSpeedBytes, $0.lowSpeedSeconds) = (1000, 1) },
                handler: { request, connection in
                    Self.small.serve(request, connection, onlyBytes: 1)
                    for byte in Self.small.bytes.dropFirst() where connection.send([byte]) {
                        connection.pause(milliseconds: 100)
                    }
                }
            ) { fixture, server in
                let (outcome, _) = await fixture.run(fixture.specification(server.url("/f")))
                #expect(outcome.failure?.cause == .tooSlow)
                #expect((outcome.resume?.offset ?? 0) > 0)
            }
        }

        @Test(
            "401 and 407 are responses and do not hang",
            arguments: ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"1\"", "Bearer", "Negotiate"], [true, false])
        func challenges(scheme: String, usesInterposer: Bool) async throws {
            try await ExecutorFixture.run(
                usesInterposer: usesInterposer,
                handler: { request, connection in
                    let isProxy = request.target == "/407"
                    let field = isProxy ? "Proxy-Authenticate" : "WWW-Authenticate"
                    connection.respond(
                        isProxy ? "407 Proxy Authentication Required" : "401 Unauthorized", ["\(field): \(scheme)"],
                        body: Array("no".utf8))
                }
            ) { fixture, server in
                let start = ContinuousClock.now
                #expect(await fixture.fetch(server.url("/401")).completion?.status == 401)
                #expect(await fixture.fetch(server.url("/407")).completion?.status == 407)
                // If the response caused a hang, the idle timeout would end the attempt with an equal outcome.
                #expect(ContinuousClock.now - start < .seconds(20))
            }
        }

        @Test("429 and 503 include the time to retry", arguments: [429, 503])
        func retryAfter(status: Int) async throws {
            try await ExecutorFixture.run(handler: { _, connection in
                connection.respond("\(status) Later", ["Retry-After: 7"], body: Array("later".utf8))
            }) { fixture, server in
                let failure = await fixture.fetch(server.url("/f")).failure
                #expect(failure?.cause == .status(status))
                #expect(failure?.retryAfterSeconds == 7)
            }
        }

        @Test("The body of an error is dropped, or becomes the file on request")
        func errors() async throws {
            try await ExecutorFixture.run(handler: { _, connection in
                connection.respond("404 Not Found", ["Content-Type: text/html"], body: Array("none".utf8))
            }) { fixture, server in
                var specification = fixture.specification(server.url("/f.iso"))
                let plain = await fixture.run(specification).0
                #expect(plain.completion == TransferCompletion(status: 404, file: nil))
                specification.keepsErrorBody = true
                let kept = await fixture.run(specification).0
                #expect(kept.completion?.status == 404)
                #expect(fixture.contents(kept) == Array("none".utf8))
            }
        }

        @Test("Many interim responses do not disturb a transfer", arguments: [true, false])
        func interim(usesInterposer: Bool) async throws {
            try await ExecutorFixture.run(
                usesInterposer: usesInterposer,
                handler: { request, connection in
                    for _ in 0..<50 { connection.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n") }
                    connection.send("HTTP/1.1 102 Processing\r\n\r\n")
                    Self.small.serve(request, connection)
                }
            ) { fixture, server in
                #expect(fixture.contents(await fixture.fetch(server.url("/f"))) == Self.small.bytes)
            }
        }

        @Test("Chunked trailers are harmless with the interposer")
        func trailers() async throws {
            try await ExecutorFixture.run(handler: { _, connection in
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n")
                connection.sendChunk(Self.small.bytes)
                connection.send("0\r\nX-Sum: 1\r\nETag: \"late\"\r\n\r\n")
            }) { fixture, server in
                #expect(fixture.contents(await fixture.fetch(server.url("/f"))) == Self.small.bytes)
                #expect(fixture.contents(await fixture.fetch(server.url("/f"))) == Self.small.bytes)
            }
        }

        @Test(
            "Heads that other clients accept are accepted with the interposer and fail in order without",
            arguments: [true, false])
        func oddHeads(usesInterposer: Bool) async throws {
            let heads = [
                "HTTP/1.1 200 OK\r\nContent-Length:1000\r\nX-No-Space:1\r\n",
                "HTTP/1.1 200\r\nContent-Length: 1000\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nX-Empty:\r\nX-Blank: \r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nX Space: 1\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nX: a\r\n b: c\r\n",
            ]
            try await ExecutorFixture.run(
                usesInterposer: usesInterposer,
                handler: { request, connection in
                    let index = Int(request.target.dropFirst()) ?? 0
                    if index == heads.count {
                        connection.send(
                            Array("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nX-Latin: ".utf8) + [
                                0xe9, 0xff, 13, 10, 13, 10,
                            ])
                    } else {
                        connection.send(heads[index] + "\r\n")
                    }
                    connection.send(Self.small.bytes)
                }
            ) { fixture, server in
                for index in 0...heads.count {
                    let outcome = await fixture.fetch(server.url("/\(index)"))
                    if usesInterposer {
                        #expect(fixture.contents(outcome) == Self.small.bytes, "head \(index): \(outcome)")
                    } else {
                        #expect(
                            outcome.completion != nil || outcome.failure?.cause.isTemporary == true,
                            "head \(index): \(outcome)")
                    }
                }
            }
        }

        @Test("Responses that are not HTTP and endless heads are server faults")
        func garbage() async throws {
            try await ExecutorFixture.run(handler: { request, connection in
                switch request.target {
                case "/garbage": connection.send("220 mail.example ESMTP\r\n")
                case "/version": connection.send("HTTP/9.9 200 OK\r\n\r\n")
                case "/length": connection.send("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n")
                default:
                    connection.send("HTTP/1.1 200 OK\r\n")
                    for number in 0..<20_000
                    where connection.send("X-\(number): \(String(repeating: "a", count: 100))\r\n") {}
                }
                connection.finish()
            }) { fixture, server in
                for path in ["/garbage", "/version", "/length", "/bomb"] {
                    let outcome = await fixture.fetch(server.url(path))
                    #expect(outcome.failure?.cause.isTemporary == true, "\(path): \(outcome)")
                    #expect(outcome.failure?.message.contains("127.0.0.1") == true)
                }
            }
        }

        @Test(
            "An impossible length is a server fault",
            arguments: [
                "9223372036854775807", "9223372036854775295", "9223372036854775296", "4611686018427387904",
                "9007199254740993", "99999999999999999999",
            ])
        func impossibleLength(length: String) async throws {
            try await ExecutorFixture.run(handler: { request, connection in
                if request.target == "/part" {
                    let range = "Content-Range: bytes 0-3/\(length)"
                    connection.respond("206 Partial Content", ["ETag: \"a\"", range], body: Array("four".utf8))
                } else {
                    connection.respond("200 OK", ["Content-Length: \(length)"], body: Array("four".utf8))
                    connection.finish()
                }
            }) { fixture, server in
                for path in ["/whole", "/part"] {
                    let outcome = await fixture.fetch(server.url(path))
                    #expect(outcome.failure?.cause == .malformedResponse, "\(path): \(outcome)")
                }
            }
        }

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
            try await ExecutorFixture.run(usesInterposer: false, handler: Self.small.serve) { fixture, _ in
                let failure = await fixture.fetch(far).failure
                #expect(failure?.cause == .unsupportedURL)
                #expect(failure?.message.contains("IPv6") == true)
            }
        }

        @Test("A login page does not become the file and does not restart the download")
        func captivePortal() async throws {
            try await ExecutorFixture.run(handler: { _, connection in
                connection.respond(
                    "200 OK", ["Content-Type: text/html; charset=utf-8"], body: Array("<html>log in".utf8))
            }) { fixture, server in
                #expect(await fixture.fetch(server.url("/f.iso")).failure?.cause == .captivePortal)
                let resume = try fixture.leavePartial(Self.small.bytes[..<500], total: 1000, tag: "\"v1\"")
                let (outcome, recorder) = await fixture.run(fixture.specification(server.url("/f")), resume: resume)
                #expect(outcome.failure?.cause == .captivePortal)
                #expect(outcome.resume?.offset == 500)
                #expect(recorder.restarts == 0)
            }
        }

        @Test("Messages contain no secrets")
        func secrets() async throws {
            try await ExecutorFixture.run(handler: { request, connection in
                let isKnown = request.value("Authorization") != nil
                connection.respond(isKnown ? "503 No" : "401 No", ["WWW-Authenticate: Basic realm=\"x\""])
            }) { fixture, server in
                let url = server.url("/f?token=secret").replacingOccurrences(of: "http://", with: "http://user:secret@")
                let failure = await fixture.fetch(url).failure
                #expect(failure?.message.contains("secret") == false)
                #expect(failure?.message.contains("127.0.0.1") == true)
                #expect(server.requests.last?.value("Authorization") == "Basic dXNlcjpzZWNyZXQ=")
            }
        }
    }
}
