// SPDX-License-Identifier: Apache-2.0
import HostileServer
import TransferEngine
import TransferModel
import TransferPolicy
import URLSessionExecutor

/// Cases with lengths that are missing, wrong, or malformed.
extension HostileCase {
    static let lengths: [HostileCase] = plainLengths + oddLengths + closeDelimited

    private static let plainLengths: [HostileCase] = [
        HostileCase(
            "Content-Length is larger than the body", .failure(.connection, keeping: 1000...1000), saw: [first]
        ) { request, connection, scene in
            connection.answer("200 OK", ["ETag: \"v1\"", "Content-Length: 1001"], body: scene.file.bytes)
            connection.finish()
        },
        // Bytes beyond the length cannot be distinguished from the beginning of the next answer.
        HostileCase(
            "Content-Length is smaller than the body", .bytes(Array(ServedFile.content(1000).prefix(900))), saw: [first]
        ) { request, connection, scene in
            connection.answer("200 OK", ["Content-Length: 900"], body: scene.file.bytes)
            connection.finish()
        },
        HostileCase(
            "a part is shorter than its Content-Range", .failure(.connection, keeping: 300...300), saw: [first]
        ) { request, connection, scene in
            connection.send(
                connection.sendHead(
                    of: scene.file, request, without: ["Content-Length"], adding: ["Content-Length: 300"]
                ).prefix(300))
            connection.finish()
        },
        HostileCase("a part is longer than its Content-Range", .failure(.malformedAnswer), saw: [first]) {
            request, connection, scene in
            connection.send(
                connection.sendHead(
                    of: scene.file, request, without: ["Content-Length"], adding: ["Content-Length: 500"]))
            connection.send([UInt8](repeating: 1, count: 100))
        },
        HostileCase("the same Content-Length twice", .file, saw: [first]) { request, connection, scene in
            connection.answer("200 OK", ["Content-Length: 1000", "Content-Length: 1000"], body: scene.file.bytes)
        },
        HostileCase("the same Content-Length twice in one line", .file, saw: [first]) { request, connection, scene in
            connection.answer("200 OK", ["Content-Length: 1000, 1000"], body: scene.file.bytes)
        },
        HostileCase("Content-Length together with chunks: the chunks count", .file, saw: [first]) {
            request, connection, scene in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.send(chunked(scene.file.bytes, at: 10))
        },
        HostileCase("chunks together with a later Content-Length: the chunks count", .file, saw: [first]) {
            request, connection, scene in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2000\r\n\r\n")
            connection.send(chunked(scene.file.bytes, at: 10))
        },
        HostileCase("chunks in capitals, with extensions and leading zeros", .file, saw: [first]) {
            request, connection, scene in
            connection.send("HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n0003E8;a=\"b\"\r\n")
            connection.send(scene.file.bytes)
            connection.send("\r\n000\r\n\r\n")
        },
    ]

    private static let oddLengths: [HostileCase] =
        [
            ("-1", "is negative"), ("-9223372036854775808", "is very negative"), ("many", "is a word"),
            ("0x3E8", "is hexadecimal"), ("1000x", "has something behind it"), ("1000, 900", "is two numbers"),
            ("9007199254740993", "is more than any file has"), ("4611686018427387904", "is 2^62"),
            ("9223372036854775807", "is 2^63 - 1"), ("9223372036854775808", "is 2^63"),
            ("99999999999999999999999", "is beyond all numbers"),
        ].map { value, what in
            HostileCase("Content-Length \(what)", .failure(.malformedAnswer)) { request, connection, scene in
                connection.answer("200 OK", ["Content-Length: \(value)"], body: scene.file.bytes)
                connection.finish()
            }
            .with { if value.hasPrefix("92233720368547758") { $0.withoutRepair = .endsProcess } }
        } + [
            HostileCase("two Content-Lengths that differ", .failure(.malformedAnswer)) { request, connection, scene in
                connection.answer("200 OK", ["Content-Length: 1000", "Content-Length: 900"], body: scene.file.bytes)
                connection.finish()
            },
            HostileCase("a chunk's size is no number", .failure(.malformedAnswer)) { request, connection, scene in
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
                connection.send(scene.file.bytes)
                connection.finish()
            },
            HostileCase("a chunk's size is beyond all numbers", .failure(.malformedAnswer)) {
                request, connection, scene in
                connection.send(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(repeating: "f", count: 40))\r\n")
                connection.send(scene.file.bytes)
                connection.finish()
            },
            HostileCase("a chunk's size is negative", .failure(.malformedAnswer)) { request, connection, scene in
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n")
                connection.send(scene.file.bytes)
                connection.finish()
            },
            HostileCase("a chunk is longer than its size", .failure(.malformedAnswer, keeping: 0...1000)) {
                request, connection, scene in
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n")
                connection.send(scene.file.bytes)
                connection.finish()
            },
            HostileCase("a transfer coding nobody knows", .failure(.malformedAnswer)) { request, connection, scene in
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: x-secret\r\n\r\n")
                connection.send(scene.file.bytes)
                connection.finish()
            }.withoutRepair(.oneOf([.failure(.encodedBody), .failure(.malformedAnswer)])),
            HostileCase("chunks within which is gzip", .failure(.malformedAnswer)) { request, connection, scene in
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n")
                connection.send(chunked(scene.file.bytes, at: 10))
            }.withoutRepair(.oneOf([.failure(.encodedBody), .failure(.malformedAnswer)])),
        ]

    private static let closeDelimited: [HostileCase] = [
        HostileCase("no length at all: the connection's end is the body's", .file, saw: [first]) {
            request, connection, scene in
            connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            connection.send(scene.file.bytes)
            connection.finish()
        },
        HostileCase("HTTP/1.0 without a length", .file, saw: [first]) { request, connection, scene in
            connection.send("HTTP/1.0 200 OK\r\n\r\n")
            connection.send(scene.file.bytes)
            connection.finish()
        },
        HostileCase(
            "no length at all, and the connection breaks", .failure(.connection, keeping: 0...1000), saw: [first]
        ) { request, connection, scene in
            connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nConnection: close\r\n\r\n")
            connection.send(scene.file.bytes)
            connection.pause(milliseconds: 10)
            connection.reset()
        },
        HostileCase("a part without a length, all of it there", .file, saw: [first, rest]) {
            request, connection, scene in
            connection.serve(scene.file, request, without: ["Content-Length"], adding: ["Connection: close"])
            connection.finish()
        },
        HostileCase(
            "a part without a length, cut", .failure(.connection, keeping: 100...100), saw: [first]
        ) { request, connection, scene in
            let body = connection.sendHead(
                of: scene.file, request, without: ["Content-Length"], adding: ["Connection: close"])
            connection.send(body.prefix(100))
            connection.finish()
        },
        // libcurl tells OpenSSL to ignore a missing close_notify alert. Only a length or a
        // checksum reveals the truncation.
        HostileCase("a body without a length that TLS did not end", .file) {
            request, connection, scene in
            connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nConnection: close\r\n\r\n")
            connection.send(scene.file.bytes)
            connection.cut()
        }.with {
            $0.fault = HostileAuthority.Fault.none
            $0.withoutRepair = .impossible
        },
        HostileCase("a body without a length that TLS did end", .file) { request, connection, scene in
            connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            connection.send(scene.file.bytes)
            connection.finish()
        }.with {
            $0.fault = HostileAuthority.Fault.none
            $0.withoutRepair = .impossible
        },
    ]
}
