// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import HTTPExecutor
import HostileServer
import TransferEngine
import TransferModel
import TransferPolicy

/// Cases with servers that are slow, silent, or restrictive about connections.
extension HostileCase {
    /// Returns a case that sends some bytes and then stalls. The idle timeout is 1 s.
    private static func stall(
        _ name: String, keeping: Int64 = 0, _ say: @escaping Responder
    ) -> HostileCase {
        HostileCase(name, .failure(.timeout, keeping: keeping...keeping), saw: [whole]) {
            request, connection, environment in
            say(request, connection, environment)
            connection.waitForClient()
        }.with { $0.specify = { specification, _ in specification.idleTimeoutSeconds = 1 } }
    }

    /// Returns a case in which bytes arrive at fewer than 100,000 bytes per second.
    private static func drip(
        _ name: String, keeping: ClosedRange<Int64> = 0...0, _ respond: @escaping Responder
    ) -> HostileCase {
        HostileCase(name, .failure(.tooSlow, keeping: keeping), saw: [whole], respond: respond)
            .with { $0.configure = { ($0.lowSpeedBytes, $0.lowSpeedSeconds) = (100_000, 1) } }
    }

    private static func dripped(_ bytes: some Sequence<UInt8>, _ connection: HostileConnection) {
        for byte in bytes where connection.send([byte]) { connection.pause(milliseconds: 20) }
    }

    static let times: [HostileCase] = [
        stall("no response") { _, _, _ in },
        stall("silence after the status line") { _, connection, _ in connection.send("HTTP/1.1 200 OK\r\n") },
        stall("silence after the head") { request, connection, environment in
            _ = connection.sendHead(of: environment.file, request)
        },
        stall("silence in the middle of the body", keeping: 100) { request, connection, environment in
            connection.send(connection.sendHead(of: environment.file, request).prefix(100))
        },
        stall("silence before the last chunk", keeping: 1000) { request, connection, environment in
            connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.send(chunked(environment.file.bytes, at: 10).dropLast(5))
        },
        stall("silence in a body that is skipped") { _, connection, _ in
            connection.send("HTTP/1.1 302 Found\r\nLocation: /g\r\nContent-Length: 10\r\n\r\nhalf")
        },
        HostileCase("an endless trailer counts as silence", .failure(.timeout, keeping: 1000...1000), saw: [whole]) {
            request, connection, environment in
            connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.send(chunked(environment.file.bytes, at: 400).dropLast(2))
            while connection.send("X: 1\r\n") { connection.pause(milliseconds: 10) }
        }.with {
            $0.specify = { specification, _ in specification.idleTimeoutSeconds = 1 }
        }.endsProcessUnderURLSession,
        drip("the body drips", keeping: 1...399) { request, connection, environment in
            dripped(connection.sendHead(of: environment.file, request), connection)
        },
        drip("the head drips") { request, connection, environment in
            dripped("HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 1000))\r\n\r\n".utf8, connection)
        },
        drip("chunks of one byte drip", keeping: 1...999) { request, connection, environment in
            connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n")
            for byte in environment.file.bytes where connection.sendChunk([byte]) { connection.pause(milliseconds: 20) }
        },
        HostileCase("a slow but sufficiently fast server", .file, saw: [whole]) {
            request, connection, environment in
            let body = connection.sendHead(of: environment.file, request)
            for start in stride(from: body.startIndex, to: body.endIndex, by: 50) {
                connection.send(body[start..<min(start + 50, body.endIndex)])
                connection.pause(milliseconds: 20)
            }
        },
    ]

    // MARK: Connections

    static let connections: [HostileCase] = [
        HostileCase("every connection breaks before the request", .failure(.connection), saw: []) { _, _, _ in
        }.with { $0.greeting = { _, connection in connection.reset() } }.permanent,
        HostileCase("every connection ends before the request", .failure(.connection)) { _, connection, _ in
            connection.reset()
        }.with { $0.greeting = { _, connection in connection.finish() } }.permanent,
        HostileCase("a response before the request", .oneOf([.response(400), .orderly])) {
            request, connection, environment in
            environment.file.serve(request, connection)
        }.with {
            $0.greeting = { _, connection in connection.send("HTTP/1.1 400 Early\r\nContent-Length: 0\r\n\r\n") }
        }.permanent,
        HostileCase("the connection ends after each response, announced", .file, saw: [whole]) {
            request, connection, environment in
            connection.serve(environment.file, request, adding: ["Connection: close"])
            connection.finish()
        },
        HostileCase("the connection ends after each response, unannounced", .file, saw: [whole]) {
            request, connection, environment in
            environment.file.serve(request, connection)
            connection.finish()
        },
        HostileCase("the connection breaks after each response", .orderly) { request, connection, environment in
            environment.file.serve(request, connection)
            connection.pause(milliseconds: 10)
            connection.reset()
        },
        HostileCase("a half-closed connection after a complete response", .file, saw: [whole]) {
            request, connection, environment in
            connection.respond("200 OK", ["ETag: \"v1\""], body: environment.file.bytes)
            connection.finishSending()
        },
        HostileCase(
            "a half-closed connection after a truncated response",
            .failure(.connection, keeping: 100...100), saw: [whole]
        ) { request, connection, environment in
            connection.send(connection.sendHead(of: environment.file, request).prefix(100))
            connection.finishSending()
        },
        HostileCase("garbage after the first response", .orderly) { request, connection, environment in
            environment.file.serve(request, connection)
            connection.send("garbage")
        },
        HostileCase(
            "an unrequested second response after the first",
            .oneOf([.bytes(ServedFile.content(900, seed: 2)), .orderly])
        ) { request, connection, environment in
            environment.file.serve(request, connection)
            connection.respond("200 OK", ["ETag: \"v1\""], body: environment.newer.bytes)
        },
        HostileCase("connections are not accepted", .failure(.timeout), saw: []) { _, _, _ in
        }.with {
            $0.listen = { $0.isAdmitting = false }
            $0.specify = { specification, _ in specification.idleTimeoutSeconds = 1 }
        }.permanent,
        HostileCase("connections are accepted late", .file, saw: [whole]) { request, connection, environment in
            environment.file.serve(request, connection)
        }.with {
            $0.listen = { $0.isAdmitting = false }
            $0.prepare = { environment in
                Thread.detachNewThread {
                    usleep(300_000)
                    environment.server?.admit()
                }
            }
        },
        HostileCase("the queue of connections is full", .failure(.timeout), saw: []) { _, _, _ in
        }.with {
            $0.listen = { ($0.isAdmitting, $0.backlog) = (false, 1) }
            $0.prepare = { $0.server?.fillBacklog() }
            $0.specify = { specification, _ in specification.idleTimeoutSeconds = 1 }
        }.permanent,
        HostileCase("one connection at a time, excess connections closed", .file, saw: [whole]) {
            request, connection, environment in
            environment.file.serve(request, connection)
        }.with { $0.listen = { $0.limit = .closing(above: 1) } },
        HostileCase(
            "one connection at a time for one response each, excess connections waiting", .file, saw: [whole]
        ) {
            request, connection, environment in
            connection.serve(environment.file, request, adding: ["Connection: close"])
            connection.finish()
        }.with { $0.listen = { $0.limit = .waiting(above: 1) } },
        HostileCase("every connection is closed", .failure(.connection), saw: []) { _, _, _ in
        }.with { $0.listen = { $0.limit = .closing(above: 0) } }.permanent,
    ]

    // MARK: TLS

    /// Returns a case that serves a correct file with a faulty certificate. The client trusts the authority.
    private static func secure(
        _ name: String, _ fault: HostileAuthority.Fault, _ ending: Ending, saw: [String]
    ) -> HostileCase {
        HostileCase(name, ending, saw: saw) { request, connection, environment in
            environment.file.serve(request, connection)
        }
        .with {
            $0.fault = fault
            $0.underURLSession = .impossible
        }
        .permanent
    }

    static let certificates: [HostileCase] = [
        secure("a certificate of a configured authority", .none, .file, saw: [whole]),
        secure("an expired certificate", .expired, .failure(.certificate), saw: []),
        secure("a certificate that is not yet valid", .notYetValid, .failure(.certificate), saw: []),
        secure("a certificate for another host", .wrongHost, .failure(.certificate), saw: []),
        secure("a self-signed certificate", .selfSigned, .failure(.certificate), saw: []),
        secure("a certificate of an unknown authority", .none, .failure(.certificate), saw: [])
            .with {
                $0.configure = { $0.caFile = nil }
                $0.underURLSession = .same
            },
        secure("an outdated TLS version", .none, .failure(.handshake), saw: []).with {
            $0.listen = { $0.certificate?.isOutdated = true }
        },
        HostileCase("https to a server without TLS", .failure(.unsupportedURL), saw: []) { _, _, _ in
        }.with {
            $0.specify = { specification, environment in
                specification.url = specification.url.replacing("http://", with: "https://")
            }
            $0.greeting = { _, connection in
                connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
                connection.finish()
            }
        }.permanent,
        HostileCase(
            "the connection breaks in the handshake", .oneOf([.failure(.handshake), .failure(.connection)]), saw: []
        ) { _, _, _ in
        }.with {
            $0.specify = { specification, environment in
                specification.url = specification.url.replacing("http://", with: "https://")
            }
            $0.greeting = { _, connection in connection.reset() }
        }.permanent,
        HostileCase("silence in the handshake", .failure(.timeout), saw: []) { _, _, _ in
        }.with {
            $0.specify = { specification, environment in
                specification.url = specification.url.replacing("http://", with: "https://")
                specification.idleTimeoutSeconds = 1
            }
            $0.greeting = { _, connection in connection.waitForClient() }
        }.permanent,
        secure("a body truncated below TLS", .none, .failure(.connection, keeping: 100...100), saw: [whole]).with {
            $0.recovers = true
            $0.respond = { request, connection, environment in
                connection.send(connection.sendHead(of: environment.file, request).prefix(100))
                connection.cut()
            }
        },
        secure("a body broken below TLS", .none, .failure(.connection, keeping: 0...100), saw: [whole]).with {
            $0.recovers = true
            $0.respond = { request, connection, environment in
                connection.send(connection.sendHead(of: environment.file, request).prefix(100))
                connection.pause(milliseconds: 10)
                connection.reset()
            }
        },
        secure("chunks with trailers over TLS", .none, .file, saw: [whole]).with {
            $0.respond = { request, connection, environment in
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                connection.send(chunked(environment.file.bytes, at: 400).dropLast(2))
                connection.send("X: 1\r\n\r\n")
            }
        },
    ]

    /// A copy of this case in which the server keeps misbehaving.
    fileprivate var permanent: HostileCase { with { $0.recovers = false } }
}
