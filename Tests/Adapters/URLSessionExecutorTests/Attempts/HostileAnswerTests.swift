// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
import Foundation
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct HostileAnswerTests {
        private static let small = ServedFile(bytes: ServedFile.content(1000))

        @Test(
            "a stall before the answer and in the body ends by the idle timeout", arguments: [true, false],
            [true, false])
        func stall(inBody: Bool, repaired: Bool) async throws {
            try await Bench.run(
                repaired: repaired,
                handler: { request, connection in
                    if inBody { Self.small.serve(request, connection, onlyBytes: 500) }
                    connection.waitForClient()
                }
            ) { bench, server in
                var specification = bench.specification(server.url("/f"))
                specification.idleTimeoutSeconds = 1
                let (outcome, _) = await bench.run(specification)
                #expect(outcome.failure?.cause == .timeout)
                #expect(outcome.resume?.offset == (inBody ? 500 : nil))
            }
        }

        @Test("a server that drips is too slow")
        func drip() async throws {
            try await Bench.run(
                configure: { ($0.lowSpeedBytes, $0.lowSpeedSeconds) = (1000, 1) },
                handler: { request, connection in
                    Self.small.serve(request, connection, onlyBytes: 1)
                    for byte in Self.small.bytes.dropFirst() where connection.send([byte]) {
                        connection.pause(milliseconds: 100)
                    }
                }
            ) { bench, server in
                let (outcome, _) = await bench.run(bench.specification(server.url("/f")))
                #expect(outcome.failure?.cause == .tooSlow)
                #expect((outcome.resume?.offset ?? 0) > 0)
            }
        }

        @Test(
            "401 and 407 are answers, not hangs",
            arguments: ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"1\"", "Bearer", "Negotiate"], [true, false])
        func challenges(scheme: String, repaired: Bool) async throws {
            try await Bench.run(
                repaired: repaired,
                handler: { request, connection in
                    let isProxy = request.target == "/407"
                    let field = isProxy ? "Proxy-Authenticate" : "WWW-Authenticate"
                    connection.answer(
                        isProxy ? "407 Proxy Authentication Required" : "401 Unauthorized", ["\(field): \(scheme)"],
                        body: Array("no".utf8))
                }
            ) { bench, server in
                let start = ContinuousClock.now
                #expect(await bench.fetch(server.url("/401")).completion?.status == 401)
                #expect(await bench.fetch(server.url("/407")).completion?.status == 407)
                // If the answer caused a hang, the idle timeout would end the attempt with an equal outcome.
                #expect(ContinuousClock.now - start < .seconds(20))
            }
        }

        @Test("429 and 503 say when to come back", arguments: [429, 503])
        func retryAfter(status: Int) async throws {
            try await Bench.run(handler: { _, connection in
                connection.answer("\(status) Later", ["Retry-After: 7"], body: Array("later".utf8))
            }) { bench, server in
                let failure = await bench.fetch(server.url("/f")).failure
                #expect(failure?.cause == .status(status))
                #expect(failure?.retryAfterSeconds == 7)
            }
        }

        @Test("an error's body is dropped, or becomes the file on request")
        func errors() async throws {
            try await Bench.run(handler: { _, connection in
                connection.answer("404 Not Found", ["Content-Type: text/html"], body: Array("none".utf8))
            }) { bench, server in
                var specification = bench.specification(server.url("/f.iso"))
                let plain = await bench.run(specification).0
                #expect(plain.completion == TransferCompletion(status: 404, file: nil))
                specification.keepsErrorBody = true
                let kept = await bench.run(specification).0
                #expect(kept.completion?.status == 404)
                #expect(bench.contents(kept) == Array("none".utf8))
            }
        }

        @Test("a storm of interim answers does not confuse", arguments: [true, false])
        func interim(repaired: Bool) async throws {
            try await Bench.run(
                repaired: repaired,
                handler: { request, connection in
                    for _ in 0..<50 { connection.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n") }
                    connection.send("HTTP/1.1 102 Processing\r\n\r\n")
                    Self.small.serve(request, connection)
                }
            ) { bench, server in
                #expect(bench.contents(await bench.fetch(server.url("/f"))) == Self.small.bytes)
            }
        }

        @Test("chunked trailers do no harm with the repair")
        func trailers() async throws {
            try await Bench.run(handler: { _, connection in
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n")
                connection.sendChunk(Self.small.bytes)
                connection.send("0\r\nX-Sum: 1\r\nETag: \"late\"\r\n\r\n")
            }) { bench, server in
                #expect(bench.contents(await bench.fetch(server.url("/f"))) == Self.small.bytes)
                #expect(bench.contents(await bench.fetch(server.url("/f"))) == Self.small.bytes)
            }
        }

        @Test(
            "heads that other clients accept are accepted with the repair and end in order without",
            arguments: [true, false])
        func oddHeads(repaired: Bool) async throws {
            let heads = [
                "HTTP/1.1 200 OK\r\nContent-Length:1000\r\nX-No-Space:1\r\n",
                "HTTP/1.1 200\r\nContent-Length: 1000\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nX-Empty:\r\nX-Blank: \r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nX Space: 1\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nX: a\r\n b: c\r\n",
            ]
            try await Bench.run(
                repaired: repaired,
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
            ) { bench, server in
                for index in 0...heads.count {
                    let outcome = await bench.fetch(server.url("/\(index)"))
                    if repaired {
                        #expect(bench.contents(outcome) == Self.small.bytes, "head \(index): \(outcome)")
                    } else {
                        #expect(
                            outcome.completion != nil || outcome.failure?.cause.mayPass == true,
                            "head \(index): \(outcome)")
                    }
                }
            }
        }

        @Test("what is not HTTP, and a head without end, are faults of the server")
        func garbage() async throws {
            try await Bench.run(handler: { request, connection in
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
            }) { bench, server in
                for path in ["/garbage", "/version", "/length", "/bomb"] {
                    let outcome = await bench.fetch(server.url(path))
                    #expect(outcome.failure?.cause.mayPass == true, "\(path): \(outcome)")
                    #expect(outcome.failure?.message.contains("127.0.0.1") == true)
                }
            }
        }

        @Test(
            "a length that no file has is a fault of the server",
            arguments: [
                "9223372036854775807", "9223372036854775295", "9223372036854775296", "4611686018427387904",
                "9007199254740993", "99999999999999999999",
            ])
        func impossibleLength(length: String) async throws {
            try await Bench.run(handler: { request, connection in
                if request.target == "/part" {
                    let range = "Content-Range: bytes 0-3/\(length)"
                    connection.answer("206 Partial Content", ["ETag: \"a\"", range], body: Array("four".utf8))
                } else {
                    connection.answer("200 OK", ["Content-Length: \(length)"], body: Array("four".utf8))
                    connection.finish()
                }
            }) { bench, server in
                for path in ["/whole", "/part"] {
                    let outcome = await bench.fetch(server.url(path))
                    #expect(outcome.failure?.cause == .malformedAnswer, "\(path): \(outcome)")
                }
            }
        }

        @Test(
            "a URL with an IPv6 address is fetched",
            .enabled(if: HostileServer.canUseIPv6, "this machine has no address ::1"))
        func addressOfSix() async throws {
            let six = try HostileServer(usesIPv6: true, handler: Self.small.serve)
            defer { six.stop() }
            let far = six.url("/f")
            try await Bench.run(handler: { _, connection in
                connection.answer("302 Found", ["Location: \(far)"])
            }) { bench, server in
                #expect(bench.contents(await bench.fetch(far)) == Self.small.bytes)
                #expect(bench.contents(await bench.fetch(server.url("/f"))) == Self.small.bytes)
                #expect(six.requests.first?.value("Host") == "[::1]:\(six.port)")
            }
            try await Bench.run(repaired: false, handler: Self.small.serve) { bench, _ in
                let failure = await bench.fetch(far).failure
                #expect(failure?.cause == .unsupportedURL)
                #expect(failure?.message.contains("IPv6") == true)
            }
        }

        @Test("a login page does not become the file, and nothing is started over for it")
        func captivePortal() async throws {
            try await Bench.run(handler: { _, connection in
                connection.answer(
                    "200 OK", ["Content-Type: text/html; charset=utf-8"], body: Array("<html>log in".utf8))
            }) { bench, server in
                #expect(await bench.fetch(server.url("/f.iso")).failure?.cause == .captivePortal)
                let resume = try bench.leavePartial(Self.small.bytes[..<500], total: 1000, tag: "\"v1\"")
                let (outcome, recorder) = await bench.run(bench.specification(server.url("/f")), resume: resume)
                #expect(outcome.failure?.cause == .captivePortal)
                #expect(outcome.resume?.offset == 500)
                #expect(recorder.restarts == 0)
            }
        }

        @Test("no message holds what may be secret")
        func secrets() async throws {
            try await Bench.run(handler: { request, connection in
                let isKnown = request.value("Authorization") != nil
                connection.answer(isKnown ? "503 No" : "401 No", ["WWW-Authenticate: Basic realm=\"x\""])
            }) { bench, server in
                let url = server.url("/f?token=secret").replacingOccurrences(of: "http://", with: "http://user:secret@")
                let failure = await bench.fetch(url).failure
                #expect(failure?.message.contains("secret") == false)
                #expect(failure?.message.contains("127.0.0.1") == true)
                #expect(server.requests.last?.value("Authorization") == "Basic dXNlcjpzZWNyZXQ=")
            }
        }
    }
}
