// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import HostileServer
import TransferEngine
import TransferModel
import TransferPolicy
import URLSessionExecutor

/// Cases with servers that are slow, silent, or restrictive about connections.
extension HostileCase {
    /// Returns a case that sends some bytes and then stalls. The idle timeout is 1 s.
    private static func stall(
        _ name: String, keeping: Int64 = 0, _ say: @escaping Answer
    ) -> HostileCase {
        HostileCase(name, .failure(.timeout, keeping: keeping...keeping), saw: [first]) { request, connection, scene in
            say(request, connection, scene)
            connection.waitForClient()
        }.with { $0.specify = { specification, _ in specification.idleTimeoutSeconds = 1 } }
    }

    /// Returns a case in which bytes arrive at fewer than 100,000 bytes per second.
    private static func drip(
        _ name: String, keeping: ClosedRange<Int64> = 0...0, _ answer: @escaping Answer
    ) -> HostileCase {
        HostileCase(name, .failure(.tooSlow, keeping: keeping), saw: [first], answer: answer)
            .with { $0.configure = { ($0.lowSpeedBytes, $0.lowSpeedSeconds) = (100_000, 1) } }
    }

    private static func dripped(_ bytes: some Sequence<UInt8>, _ connection: HostileConnection) {
        for byte in bytes where connection.send([byte]) { connection.pause(milliseconds: 20) }
    }

    static let times: [HostileCase] = [
        stall("nothing is said") { _, _, _ in },
        stall("nothing is said after the status line") { _, connection, _ in connection.send("HTTP/1.1 200 OK\r\n") },
        stall("nothing is said after the head") { request, connection, scene in
            _ = connection.sendHead(of: scene.file, request)
        },
        stall("nothing is said in the middle of the body", keeping: 100) { request, connection, scene in
            connection.send(connection.sendHead(of: scene.file, request).prefix(100))
        },
        stall("nothing is said before the last chunk", keeping: 1000) { request, connection, scene in
            connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.send(chunked(scene.file.bytes, at: 10).dropLast(5))
        },
        stall("nothing is said in a body that is not wanted") { _, connection, _ in
            connection.send("HTTP/1.1 302 Found\r\nLocation: /g\r\nContent-Length: 10\r\n\r\nhalf")
        },
        HostileCase("a trailer without end says nothing either", .failure(.timeout, keeping: 1000...1000), saw: [first])
        { request, connection, scene in
            connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.send(chunked(scene.file.bytes, at: 400).dropLast(2))
            while connection.send("X: 1\r\n") { connection.pause(milliseconds: 10) }
        }.with {
            $0.specify = { specification, _ in specification.idleTimeoutSeconds = 1 }
        }.endsProcessWithoutRepair,
        drip("the body drips", keeping: 1...399) { request, connection, scene in
            dripped(connection.sendHead(of: scene.file, request), connection)
        },
        drip("the head drips") { request, connection, scene in
            dripped("HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 1000))\r\n\r\n".utf8, connection)
        },
        drip("chunks of one byte drip", keeping: 1...999) { request, connection, scene in
            connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n")
            for byte in scene.file.bytes where connection.sendChunk([byte]) { connection.pause(milliseconds: 20) }
        },
        HostileCase("a slow server that is fast enough", .file, saw: [first, rest]) { request, connection, scene in
            let body = connection.sendHead(of: scene.file, request)
            for start in stride(from: body.startIndex, to: body.endIndex, by: 50) {
                connection.send(body[start..<min(start + 50, body.endIndex)])
                connection.pause(milliseconds: 20)
            }
        },
    ]

    // MARK: Connections

    static let connections: [HostileCase] = [
        HostileCase("every connection breaks before the request", .failure(.connection), saw: []) { _, _, _ in
        }.with { $0.greeting = { _, connection in connection.reset() } }.unmended,
        HostileCase("every connection ends before the request", .failure(.connection)) { _, connection, _ in
            connection.reset()
        }.with { $0.greeting = { _, connection in connection.finish() } }.unmended,
        HostileCase("an answer before the request", .oneOf([.answer(400), .orderly])) { request, connection, scene in
            scene.file.serve(request, connection)
        }.with {
            $0.greeting = { _, connection in connection.send("HTTP/1.1 400 Early\r\nContent-Length: 0\r\n\r\n") }
        }.unmended,
        HostileCase("the connection ends after each answer, announced", .file, saw: [first, rest]) {
            request, connection, scene in
            connection.serve(scene.file, request, adding: ["Connection: close"])
            connection.finish()
        },
        HostileCase("the connection ends after each answer, unannounced", .file, saw: [first, rest]) {
            request, connection, scene in
            scene.file.serve(request, connection)
            connection.finish()
        },
        HostileCase("the connection breaks after each answer", .orderly) { request, connection, scene in
            scene.file.serve(request, connection)
            connection.pause(milliseconds: 10)
            connection.reset()
        },
        HostileCase("a half-closed connection: the answer is there, the line stays open", .file, saw: [first]) {
            request, connection, scene in
            connection.answer("200 OK", ["ETag: \"v1\""], body: scene.file.bytes)
            connection.finishSending()
        },
        HostileCase(
            "a half-closed connection: the answer is cut, the line stays open",
            .failure(.connection, keeping: 100...100), saw: [first]
        ) { request, connection, scene in
            connection.send(connection.sendHead(of: scene.file, request).prefix(100))
            connection.finishSending()
        },
        HostileCase("rubbish after the first answer", .orderly) { request, connection, scene in
            scene.file.serve(request, connection)
            if request.isFirst { connection.send("rubbish") }
        },
        HostileCase(
            "a second answer after the first, unasked", .oneOf([.bytes(ServedFile.content(900, seed: 2)), .orderly])
        ) { request, connection, scene in
            scene.file.serve(request, connection)
            if request.isFirst { connection.answer("200 OK", ["ETag: \"v1\""], body: scene.newer.bytes) }
        },
        HostileCase("connections are not taken", .failure(.timeout), saw: []) { _, _, _ in
        }.with {
            $0.listen = { $0.isAdmitting = false }
            $0.specify = { specification, _ in specification.idleTimeoutSeconds = 1 }
        }.unmended,
        HostileCase("connections are taken late", .file, saw: [first, rest]) { request, connection, scene in
            scene.file.serve(request, connection)
        }.with {
            $0.listen = { $0.isAdmitting = false }
            $0.prepare = { scene in
                Thread.detachNewThread {
                    usleep(300_000)
                    scene.server?.admit()
                }
            }
        },
        HostileCase("the queue of connections is full", .failure(.timeout), saw: []) { _, _, _ in
        }.with {
            $0.listen = { ($0.isAdmitting, $0.backlog) = (false, 1) }
            $0.prepare = { $0.server?.fillBacklog() }
            $0.specify = { specification, _ in specification.idleTimeoutSeconds = 1 }
        }.unmended,
        HostileCase("one connection at a time, others closed", .file, saw: [first, rest]) {
            request, connection, scene in
            scene.file.serve(request, connection)
        }.with { $0.listen = { $0.limit = .closing(above: 1) } },
        HostileCase("one connection at a time, others waiting, and each for one answer", .file, saw: [first, rest]) {
            request, connection, scene in
            connection.serve(scene.file, request, adding: ["Connection: close"])
            connection.finish()
        }.with { $0.listen = { $0.limit = .waiting(above: 1) } },
        HostileCase("no connection is let in", .failure(.connection), saw: []) { _, _, _ in
        }.with { $0.listen = { $0.limit = .closing(above: 0) } }.unmended,
    ]

    // MARK: TLS

    /// Returns a case that serves a correct file with a faulty certificate. The client trusts the authority.
    private static func secure(
        _ name: String, _ fault: HostileAuthority.Fault, _ ending: Ending, saw: [String]
    ) -> HostileCase {
        HostileCase(name, ending, saw: saw) { request, connection, scene in scene.file.serve(request, connection) }
            .with {
                $0.fault = fault
                $0.withoutRepair = .impossible
            }
            .unmended
    }

    static let certificates: [HostileCase] = [
        secure("a certificate of an authority that was given", .none, .file, saw: [first, rest]),
        secure("an expired certificate", .expired, .failure(.certificate), saw: []),
        secure("a certificate of tomorrow", .notYetValid, .failure(.certificate), saw: []),
        secure("a certificate for another host", .wrongHost, .failure(.certificate), saw: []),
        secure("a certificate that signed itself", .selfSigned, .failure(.certificate), saw: []),
        secure("a certificate of an authority that nobody knows", .none, .failure(.certificate), saw: [])
            .with {
                $0.configure = { $0.caFile = nil }
                $0.withoutRepair = .same
            },
        secure("TLS of long ago", .none, .failure(.handshake), saw: []).with {
            $0.listen = { $0.certificate?.isOutdated = true }
        },
        HostileCase("https to a server without TLS", .failure(.handshake), saw: []) { _, _, _ in
        }.with {
            $0.specify = { specification, scene in
                specification.url = specification.url.replacing("http://", with: "https://")
            }
            $0.greeting = { _, connection in
                connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
                connection.finish()
            }
        }.unmended,
        HostileCase(
            "the connection breaks in the handshake", .oneOf([.failure(.handshake), .failure(.connection)]), saw: []
        ) { _, _, _ in
        }.with {
            $0.specify = { specification, scene in
                specification.url = specification.url.replacing("http://", with: "https://")
            }
            $0.greeting = { _, connection in connection.reset() }
        }.unmended,
        HostileCase("nothing is said in the handshake", .failure(.timeout), saw: []) { _, _, _ in
        }.with {
            $0.specify = { specification, scene in
                specification.url = specification.url.replacing("http://", with: "https://")
                specification.idleTimeoutSeconds = 1
            }
            $0.greeting = { _, connection in connection.waitForClient() }
        }.unmended,
        secure("a body cut below TLS", .none, .failure(.connection, keeping: 100...100), saw: [first]).with {
            $0.canBeMended = true
            $0.answer = { request, connection, scene in
                connection.send(connection.sendHead(of: scene.file, request).prefix(100))
                connection.cut()
            }
        },
        secure("a body broken below TLS", .none, .failure(.connection, keeping: 0...100), saw: [first]).with {
            $0.canBeMended = true
            $0.answer = { request, connection, scene in
                connection.send(connection.sendHead(of: scene.file, request).prefix(100))
                connection.pause(milliseconds: 10)
                connection.reset()
            }
        },
        secure("chunks behind TLS, with trailers", .none, .file, saw: [first]).with {
            $0.answer = { request, connection, scene in
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                connection.send(chunked(scene.file.bytes, at: 400).dropLast(2))
                connection.send("X: 1\r\n\r\n")
            }
        },
    ]

    /// A copy of this case in which the server keeps misbehaving.
    fileprivate var unmended: HostileCase { with { $0.canBeMended = false } }
}
