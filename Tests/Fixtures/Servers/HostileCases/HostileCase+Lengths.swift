// SPDX-License-Identifier: Apache-2.0
import HTTPExecutor
import HostileServer
import TransferEngine
import TransferModel
import TransferPolicy

/// Cases with lengths that are missing, wrong, or malformed.
extension HostileCase {
    static let lengths: [HostileCase] = plainLengths + oddLengths + closeDelimited

    private static let plainLengths: [HostileCase] = [
        HostileCase(
            "Content-Length is larger than the body", .failure(.connection, keeping: 1000...1000), saw: [whole]
        ) { request, connection, environment in
            connection.respond("200 OK", ["ETag: \"v1\"", "Content-Length: 1001"], body: environment.file.bytes)
            connection.finish()
        },
        // Bytes beyond the length cannot be distinguished from the beginning of the next response.
        HostileCase(
            "Content-Length is smaller than the body", .bytes(Array(ServedFile.content(1000).prefix(900))), saw: [whole]
        ) { request, connection, environment in
            connection.respond("200 OK", ["Content-Length: 900"], body: environment.file.bytes)
            connection.finish()
        },
        HostileCase(
            "a part is shorter than its Content-Range", .failure(.connection, keeping: 700...700), saw: [rest]
        ) { request, connection, environment in
            connection.send(
                connection.sendHead(
                    of: environment.file, request, without: ["Content-Length"], adding: ["Content-Length: 300"]
                ).prefix(300))
            connection.finish()
        }.after(400),
        HostileCase("a part is longer than its Content-Range", .failure(.malformedResponse), saw: [rest]) {
            request, connection, environment in
            connection.send(
                connection.sendHead(
                    of: environment.file, request, without: ["Content-Length"], adding: ["Content-Length: 700"]))
            connection.send([UInt8](repeating: 1, count: 100))
        }.after(400),
        HostileCase("the same Content-Length twice", .file, saw: [whole]) { request, connection, environment in
            connection.respond(
                "200 OK", ["Content-Length: 1000", "Content-Length: 1000"], body: environment.file.bytes)
        },
        HostileCase("the same Content-Length twice in one line", .file, saw: [whole]) {
            request, connection, environment in
            connection.respond("200 OK", ["Content-Length: 1000, 1000"], body: environment.file.bytes)
        },
        HostileCase("Content-Length together with chunks: the chunks win", .file, saw: [whole]) {
            request, connection, environment in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.send(chunked(environment.file.bytes, at: 10))
        },
        HostileCase("chunks together with a later Content-Length: the chunks win", .file, saw: [whole]) {
            request, connection, environment in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2000\r\n\r\n")
            connection.send(chunked(environment.file.bytes, at: 10))
        },
        HostileCase("chunks in capitals, with extensions and leading zeros", .file, saw: [whole]) {
            request, connection, environment in
            connection.send("HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n0003E8;a=\"b\"\r\n")
            connection.send(environment.file.bytes)
            connection.send("\r\n000\r\n\r\n")
        },
    ]

    private static let oddLengths: [HostileCase] =
        [
            ("-1", "is negative"), ("-9223372036854775808", "is very negative"), ("many", "is a word"),
            ("0x3E8", "is hexadecimal"), ("1000x", "has trailing characters"), ("1000, 900", "is two numbers"),
            ("9007199254740993", "exceeds every file size"), ("4611686018427387904", "is 2^62"),
            ("9223372036854775807", "is 2^63 - 1"), ("9223372036854775808", "is 2^63"),
            ("99999999999999999999999", "exceeds every integer type"),
        ].map { value, what in
            HostileCase("Content-Length \(what)", .failure(.malformedResponse)) { request, connection, environment in
                connection.respond("200 OK", ["Content-Length: \(value)"], body: environment.file.bytes)
                connection.finish()
            }
            .with { if value.hasPrefix("92233720368547758") { $0.underURLSession = .endsProcess } }
        } + [
            HostileCase("two different Content-Lengths", .failure(.malformedResponse)) {
                request, connection, environment in
                connection.respond(
                    "200 OK", ["Content-Length: 1000", "Content-Length: 900"], body: environment.file.bytes)
                connection.finish()
            },
            HostileCase("a chunk size that is not a number", .failure(.malformedResponse)) {
                request, connection, environment in
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
                connection.send(environment.file.bytes)
                connection.finish()
            },
            HostileCase("a chunk size that exceeds every integer type", .failure(.malformedResponse)) {
                request, connection, environment in
                connection.send(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(repeating: "f", count: 40))\r\n")
                connection.send(environment.file.bytes)
                connection.finish()
            },
            HostileCase("a negative chunk size", .failure(.malformedResponse)) { request, connection, environment in
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n")
                connection.send(environment.file.bytes)
                connection.finish()
            },
            HostileCase("a chunk that is longer than its size", .failure(.malformedResponse, keeping: 0...1000)) {
                request, connection, environment in
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n")
                connection.send(environment.file.bytes)
                connection.finish()
            },
            HostileCase("an unknown transfer coding", .failure(.malformedResponse)) {
                request, connection, environment in
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: x-secret\r\n\r\n")
                connection.send(environment.file.bytes)
                connection.finish()
            }.underURLSession(.oneOf([.failure(.encodedBody), .failure(.malformedResponse)])),
            HostileCase("chunks that contain gzip", .failure(.malformedResponse)) { request, connection, environment in
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n")
                connection.send(chunked(environment.file.bytes, at: 10))
            }.underURLSession(.oneOf([.failure(.encodedBody), .failure(.malformedResponse)])),
        ]

    private static let closeDelimited: [HostileCase] = [
        HostileCase("no length: the body ends with the connection", .file, saw: [whole]) {
            request, connection, environment in
            connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            connection.send(environment.file.bytes)
            connection.finish()
        },
        HostileCase("HTTP/1.0 without a length", .file, saw: [whole]) { request, connection, environment in
            connection.send("HTTP/1.0 200 OK\r\n\r\n")
            connection.send(environment.file.bytes)
            connection.finish()
        },
        HostileCase(
            "no length, and the connection breaks", .failure(.connection, keeping: 0...1000), saw: [whole]
        ) { request, connection, environment in
            connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nConnection: close\r\n\r\n")
            connection.send(environment.file.bytes)
            connection.pause(milliseconds: 10)
            connection.reset()
        },
        HostileCase("a complete part without a length", .file, saw: [rest]) {
            request, connection, environment in
            connection.serve(environment.file, request, without: ["Content-Length"], adding: ["Connection: close"])
            connection.finish()
        }.after(400),
        HostileCase(
            "a truncated part without a length", .failure(.connection, keeping: 500...500), saw: [rest]
        ) { request, connection, environment in
            let body = connection.sendHead(
                of: environment.file, request, without: ["Content-Length"], adding: ["Connection: close"])
            connection.send(body.prefix(100))
            connection.finish()
        }.after(400),
        // libcurl tells OpenSSL to ignore a missing close_notify alert. Only a length or a
        // checksum reveals the truncation.
        HostileCase("a body without a length and without close_notify", .file) {
            request, connection, environment in
            connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nConnection: close\r\n\r\n")
            connection.send(environment.file.bytes)
            connection.cut()
        }.with {
            $0.fault = HostileAuthority.Fault.none
            $0.underURLSession = .impossible
        },
        HostileCase("a body without a length, ended by close_notify", .file) { request, connection, environment in
            connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            connection.send(environment.file.bytes)
            connection.finish()
        }.with {
            $0.fault = HostileAuthority.Fault.none
            $0.underURLSession = .impossible
        },
    ]
}
