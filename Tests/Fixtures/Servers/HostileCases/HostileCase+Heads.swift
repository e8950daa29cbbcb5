// SPDX-License-Identifier: Apache-2.0
import HTTPExecutor
import HostileServer
import TransferEngine
import TransferModel
import TransferPolicy

/// Cases with response heads that are too large, too long, or malformed.
extension HostileCase {
    static let heads: [HostileCase] = bombs + oddHeads + garbage

    private static func filler(_ count: Int) -> String { String(repeating: "a", count: count) }

    private static let bombs: [HostileCase] = [
        HostileCase("a head of 2000 fields", .file, saw: [whole]) { request, connection, environment in
            connection.serve(environment.file, request, adding: (0..<2000).map { "X-\($0): \($0)" })
        },
        HostileCase("a head of more than 300 KiB", .failure(.malformedResponse), saw: [whole]) {
            request, connection, environment in
            connection.serve(environment.file, request, adding: (0..<400).map { "X-\($0): " + filler(1000) })
        },
        HostileCase("a header line of 200 KB", .failure(.malformedResponse), saw: [whole]) {
            request, connection, environment in
            connection.serve(environment.file, request, adding: ["X: " + filler(200_000)])
        },
        HostileCase("an endless head", .failure(.malformedResponse), saw: [whole]) { request, connection, environment in
            connection.send("HTTP/1.1 200 OK\r\n")
            for number in 0..<100_000 where connection.send("X-\(number): " + filler(1000) + "\r\n") {}
        },
        HostileCase("an endless status line", .failure(.malformedResponse), saw: [whole]) {
            request, connection, environment in
            connection.send("HTTP/1.1 200 ")
            for _ in 0..<1000 where connection.send(filler(65536)) {}
        },
    ]

    /// Returns a case that sends the given head and then the whole file.
    private static func head(_ name: String, _ text: String, _ ending: Ending = .file) -> HostileCase {
        HostileCase(name, ending, saw: [whole]) { request, connection, environment in
            connection.send(text)
            connection.send(environment.file.bytes)
            if !text.contains("Content-Length: ") { connection.finish() }
        }.underURLSession(.orderly)
    }

    private static let oddHeads: [HostileCase] = [
        head("no space after a colon", "HTTP/1.1 200 OK\r\nContent-Length:1000\r\nX:1\r\n\r\n"),
        head("a status line without a reason", "HTTP/1.1 200\r\nContent-Length: 1000\r\n\r\n"),
        head("empty values", "HTTP/1.1 200 OK\r\nX:\r\nY: \r\nContent-Length: 1000\r\n\r\n"),
        head("a space in a name", "HTTP/1.1 200 OK\r\nX Y: 1\r\nContent-Length: 1000\r\n\r\n"),
        head("a space before a colon: another field", "HTTP/1.1 200 OK\r\nContent-Length : 7\r\n\r\n"),
        head("a folded line", "HTTP/1.1 200 OK\r\nX: a\r\n b: c\r\nContent-Length: 1000\r\n\r\n"),
        head("bare line feeds", "HTTP/1.1 200 OK\nContent-Length: 1000\n\n"),
        head("bare line feeds mixed with CRLF", "HTTP/1.1 200 OK\r\nContent-Length: 1000\n\r\n"),
        head("a field without a name", "HTTP/1.1 200 OK\r\n: 1\r\nContent-Length: 1000\r\n\r\n", .orderly),
        head("a line without a colon", "HTTP/1.1 200 OK\r\nnonsense\r\nContent-Length: 1000\r\n\r\n", .orderly),
        head("a NUL in a value", "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\nContent-Length: 1000\r\n\r\n", .orderly),
        head("a NUL in a name", "HTTP/1.1 200 OK\r\nX\u{0}Y: a\r\nContent-Length: 1000\r\n\r\n", .orderly),
        head("a NUL in the status line", "HTTP/1.1 200 O\u{0}K\r\nContent-Length: 1000\r\n\r\n", .orderly),
        head("control characters in a value", "HTTP/1.1 200 OK\r\nX: \u{1}\u{7f}\r\nContent-Length: 1000\r\n\r\n"),
        head("a tag with a NUL", "HTTP/1.1 200 OK\r\nETag: \"a\u{0}b\"\r\nContent-Length: 1000\r\n\r\n", .orderly),
        head("field names in any case", "HTTP/1.1 200 ok\r\ncONTENT-lENGTH: 1000\r\neTAG: \"v1\"\r\n\r\n"),
        HostileCase("bytes that are not UTF-8", .file, saw: [whole]) { request, connection, environment in
            connection.send(
                Array("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nX: ".utf8) + [0xe9, 0xff, 13, 10, 13, 10])
            connection.send(environment.file.bytes)
        }.underURLSession(.orderly),
    ]

    /// Returns a case that sends the given text instead of a response.
    private static func garbage(
        _ name: String, _ text: String, _ ending: Ending = .failure(.malformedResponse)
    ) -> HostileCase {
        HostileCase(name, ending, saw: [whole]) { _, connection, _ in
            connection.send(text)
            connection.finish()
        }
    }

    private static let garbage: [HostileCase] = [
        garbage("another protocol's greeting", "220 mail.example ESMTP\r\n"),
        garbage("a page without a head (HTTP/0.9)", "<html><body>hello</body></html>"),
        garbage("one byte", "x"),
        garbage("NULs", "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\r\n\r\n"),
        garbage("HTTP/9.9", "HTTP/9.9 200 OK\r\n\r\n"),
        garbage("unrequested HTTP/2", "HTTP/2 200\r\nContent-Length: 5\r\n\r\nright", .bytes(Array("right".utf8)))
            .underURLSession(.oneOf([.bytes(Array("right".utf8)), .orderly])),
        garbage("a status of four digits", "HTTP/1.1 2000 OK\r\nContent-Length: 5\r\n\r\nwrong"),
        garbage("a status that is a word", "HTTP/1.1 good OK\r\nContent-Length: 5\r\n\r\nwrong"),
        garbage("a status of 999", "HTTP/1.1 999 What\r\nContent-Length: 5\r\n\r\nwrong", .response(999)),
        garbage("a status of 0", "HTTP/1.1 000 OK\r\nContent-Length: 5\r\n\r\nwrong"),
        garbage("unrequested 101", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nwrong"),
        garbage("a request instead of a response", "GET / HTTP/1.1\r\nHost: you\r\n\r\n"),
        garbage("the response of a TLS server", "\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}F"),
    ]

    // MARK: Interim responses and trailers

    static let interims: [HostileCase] =
        [("100 Continue", ""), ("102 Processing", ""), ("103 Early Hints", "Link: </x>\r\n")].map { status, field in
            HostileCase("a thousand times \(status)", .file, saw: [whole]) { request, connection, environment in
                connection.send(String(repeating: "HTTP/1.1 \(status)\r\n\(field)\r\n", count: 1000))
                environment.file.serve(request, connection)
            }
        } + [
            HostileCase("endless interim responses", .failure(.tooSlow), saw: [whole]) {
                request, connection, environment in
                while connection.send("HTTP/1.1 102 Processing\r\n\r\n") { connection.pause(milliseconds: 2) }
            }.with {
                $0.configure = { ($0.lowSpeedBytes, $0.lowSpeedSeconds) = (1, 1) }
                $0.underURLSession = .ends(.orderly)
            },
            HostileCase("an interim response that names another file", .file, saw: [whole]) {
                request, connection, environment in
                connection.send("HTTP/1.1 103 Early Hints\r\nETag: \"v9\"\r\nContent-Length: 5\r\nLocation: /x\r\n\r\n")
                environment.file.serve(request, connection)
            }.underURLSession(.orderly),
            HostileCase("trailers after the last chunk", .file, saw: [whole]) { request, connection, environment in
                connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n")
                connection.send(chunked(environment.file.bytes, at: 400).dropLast(2))
                connection.send("X: 1\r\nETag: \"late\"\r\nContent-Length: 3\r\n\r\n")
            }.endsProcessUnderURLSession,
        ]
}
