// SPDX-License-Identifier: Apache-2.0
import HTTPExecutor
import HostileServer
import TransferEngine
import TransferModel
import TransferPolicy

/// Cases with redirects, refusals, and responses that are not a file.
extension HostileCase {
    private static let secret = "Bearer secret"

    /// Returns a case that responds to every request except `/good` with a redirect.
    private static func redirect(
        _ name: String, to location: String?, status: String = "302 Found", _ ending: Ending = .failure(.redirect),
        saw: [String] = [whole]
    ) -> HostileCase {
        HostileCase(name, ending, saw: saw) { request, connection, environment in
            guard request.target != "/good" else { return environment.file.serve(request, connection) }
            connection.respond(status, location.map { ["Location: \($0)"] } ?? [], body: Array("moved".utf8))
        }
    }

    private static let good = ["/good whole"]

    static let redirects: [HostileCase] = refusedRedirects + followedRedirects

    private static let refusedRedirects: [HostileCase] = [
        redirect("a redirect to itself", to: "/f"),
        redirect("a redirect to a local file", to: "file:///etc/passwd"),
        redirect("a redirect to ftp", to: "ftp://127.0.0.1/f"),
        redirect("a redirect to a data URL", to: "data:text/plain,hello"),
        redirect("a redirect to a mailto URL", to: "mailto:a@b").endsProcessUnderURLSession,
        redirect("a redirect to a javascript URL", to: "javascript:alert(1)").endsProcessUnderURLSession,
        redirect("a redirect without a host", to: "http://").endsProcessUnderURLSession,
        redirect("a redirect to an incomplete address", to: "//[::1").endsProcessUnderURLSession,
        HostileCase("a cycle of three redirects", .failure(.redirect), saw: [whole, "/a whole", "/b whole"]) {
            request, connection, _ in
            let next = ["/f": "/a", "/a": "/b"][request.target] ?? "/f"
            connection.respond("302 Found", ["Location: \(next)"])
        },
        HostileCase(
            "a chain of 21 redirects", .failure(.redirect), saw: [whole] + (1...20).map { "/h\($0) whole" }
        ) { request, connection, _ in
            let number = Int(request.target.dropFirst(2)) ?? 0
            connection.respond("302 Found", ["Location: /h\(number + 1)"])
        },
        HostileCase("an endless chain of redirects to new URLs", .failure(.redirect)) {
            request, connection, environment in
            connection.respond("307 Temporary Redirect", ["Location: /\(environment.count("hop"))/x?y"])
        },
        HostileCase("https to http", .failure(.redirect), saw: [whole]) { request, connection, environment in
            connection.respond("302 Found", ["Location: \(environment.otherOrigin.url("/f"))"])
        }.with {
            $0.fault = HostileAuthority.Fault.none
            $0.underURLSession = .impossible
            $0.inspect = { $0.otherOrigin.requests.isEmpty ? [] : ["the other origin got a request"] }
        },
        HostileCase("a redirect with an endless body", .failure(.redirect)) { request, connection, _ in
            connection.send("HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n")
            while connection.send([UInt8](repeating: 0, count: 65536)) {}
        }.endsProcessUnderURLSession,
    ]

    private static let followedRedirects: [HostileCase] =
        ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"].map {
            redirect("a redirect by \($0)", to: "good", status: $0, .file, saw: [whole] + good)
        } + [
            redirect("300 with a Location is a response", to: "/good", status: "300 Choices", .response(300)),
            redirect("304 with a Location is a response", to: "/good", status: "304 Not Modified", .response(304)),
            redirect("a redirect without a Location is a response", to: nil, .response(302)),
            // An empty reference resolves to the page itself.
            redirect("a redirect with an empty Location", to: "", .response(302)).underURLSession(
                .failure(.redirect)),
            redirect("a redirect to a fragment of itself", to: "#there"),
            HostileCase(
                "a chain of 20 redirects", .file,
                saw: [whole] + (1...20).map { "/h\($0) whole" }
            ) { request, connection, environment in
                let number = Int(request.target.dropFirst(2)) ?? 0
                guard number < 20 else { return environment.file.serve(request, connection) }
                connection.respond("302 Found", ["Location: /h\(number + 1)"])
            },
            HostileCase("another origin gets no secrets", .file, saw: [whole]) { request, connection, environment in
                connection.respond(
                    "302 Found",
                    ["Location: \(environment.otherOrigin.url("/g"))", "Set-Cookie: a=b; Domain=127.0.0.1"])
            }.with {
                $0.specify = { specification, _ in
                    specification.headers = ["Authorization", "Cookie", "X-Key"].map {
                        HeaderField(name: $0, value: secret)
                    }
                }
                $0.inspect = { environment in
                    let here = environment.server?.requests.filter { $0.value("Authorization") != secret } ?? []
                    let there = environment.otherOrigin.requests.filter { request in
                        ["Authorization", "Cookie", "X-Key"].contains { request.value($0) != nil }
                    }
                    return (here.isEmpty ? [] : ["the secret was not sent to its own origin"])
                        + (there.isEmpty ? [] : ["the secret went to another origin"])
                        + (environment.otherOrigin.requests.map(\.line) == ["/g whole"]
                            ? [] : ["the other origin saw \(environment.otherOrigin.requests.map(\.line))"])
                }
            },
            HostileCase("a continued request is redirected", .file, saw: [rest, "/g 400- if \"v1\""]) {
                request, connection, environment in
                if request.target == "/f" { return connection.redirect("/g") }
                environment.file.serve(request, connection)
            }.after(400),
        ]
        + ["400 Bad", "401 No", "403 Forbidden", "404 Not Found", "405 No", "410 Gone", "501 Not Implemented"].map {
            status in
            HostileCase("\(status) for a range, the file without one", .file, saw: [rest, whole]) {
                request, connection, environment in
                if request.isContinuing { return _ = connection.respond(status) }
                environment.file.serve(request, connection)
            }.after(400)
        } + [
            HostileCase("a link that works once", .file, saw: [whole, "/once whole"]) {
                request, connection, environment in
                if request.target == "/f" { return connection.redirect("/once") }
                if environment.count("once") > 1 { return _ = connection.respond("404 Not Found") }
                environment.file.serve(request, connection)
            },
            HostileCase("a signed URL that is valid for one request", .file, saw: nil) {
                request, connection, environment in
                if request.target == "/f" { return connection.redirect("/signed\(environment.count("signed"))") }
                if environment.count(request.target) > 1 { return _ = connection.respond("403 Forbidden") }
                let start = request.range?.first ?? 0
                guard start > 0 else { return environment.file.serve(request, connection) }
                connection.respond(
                    "206 Partial Content", ["ETag: \"v1\"", "Content-Range: bytes \(start)-\(start + 299)/1000"],
                    body: environment.file.bytes[start..<start + 300])
            }.after(100),
        ]

    // MARK: Answers

    /// Returns a case that responds to every request with a status and a small body.
    private static func status(
        _ status: String, _ fields: [String] = [], _ ending: Ending, named name: String? = nil
    ) -> HostileCase {
        HostileCase(name ?? status, ending, saw: [whole]) { request, connection, _ in
            connection.respond(status, fields, body: Array("no".utf8))
        }
    }

    static let responses: [HostileCase] = refusals + laters + empties + portals

    private static let refusals: [HostileCase] =
        ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"1\"", "Bearer", "Negotiate", "Basic", "", "Nonsense a=\"b"]
        .map {
            status(
                "401 Unauthorized", ["WWW-Authenticate: \($0)"], .response(401),
                named: "401 with a challenge of '\($0)'")
        } + [
            status("401 Unauthorized", [], .response(401), named: "401 without a challenge"),
            status(
                "401 Unauthorized", ["WWW-Authenticate: Basic realm=\"x\"", "WWW-Authenticate: Bearer"], .response(401),
                named: "401 with two challenges"),
            status(
                "407 Proxy", ["Proxy-Authenticate: Basic realm=\"x\""], .response(407), named: "407 with a challenge"),
            status("407 Proxy", [], .response(407), named: "407 without a challenge"),
            status("400 Bad Request", [], .response(400)), status("403 Forbidden", [], .response(403)),
            status("404 Not Found", [], .response(404)), status("410 Gone", [], .response(410)),
            status("451 Unavailable", [], .response(451)), status("501 Not Implemented", [], .response(501)),
            HostileCase("404 with an endless body", .response(404), saw: [whole]) { _, connection, _ in
                connection.send("HTTP/1.1 404 Not Found\r\n\r\n")
                while connection.send([UInt8](repeating: 0, count: 65536)) {}
            },
            HostileCase("404 with a truncated body", .response(404), saw: [whole]) { _, connection, _ in
                connection.respond("404 Not Found", ["Content-Length: 100"], body: Array("no".utf8))
                connection.finish()
            },
        ]

    private static let laters: [HostileCase] =
        [408, 425, 429, 500, 502, 503, 504].map { status("\($0) Later", [], .failure(.status($0))) } + [
            later(429, "7", 7), later(503, "0", 0), later(503, "  12 ", 12), later(503, "-5", nil),
            later(429, "soon", nil), later(429, "1e9", nil), later(503, "Sun, 06 Nov 1994 08:49:37 GMT", 0),
            later(503, "Fri, 31 Dec 9999 23:59:59 GMT", .max), later(429, "99999999999999999999", nil),
        ]

    /// Returns a case with a `Retry-After` field.
    ///
    /// - Parameter seconds: The expected delay. `.max` stands for at least 2^31 seconds, the bound of a worker's report.
    private static func later(_ code: Int, _ value: String, _ seconds: Int64?) -> HostileCase {
        status(
            "\(code) Later", ["Retry-After: \(value)"], .failure(.status(code)), named: "\(code), Retry-After: \(value)"
        )
        .with { $0.retryAfter = .some(seconds) }
    }

    private static let empties: [HostileCase] = [
        status("204 No Content", [], .response(204), named: "204 with a body"),
        status("205 Reset Content", [], .response(205), named: "205 with a body"),
        status("304 Not Modified", [], .response(304), named: "an unrequested 304 with a body"),
        status("202 Accepted", [], .response(202)), status("201 Created", [], .response(201)),
        HostileCase("204 without fields", .response(204), saw: [whole]) { _, connection, _ in
            connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        },
        HostileCase("an empty file", .bytes([]), saw: [whole]) { _, connection, _ in
            connection.respond("200 OK", ["ETag: \"v1\""])
        },
        HostileCase("an empty file in chunks", .bytes([]), saw: [whole]) { _, connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        },
        HostileCase("an empty file without a length", .bytes([]), saw: [whole]) { _, connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            connection.finish()
        },
    ]

    private static let page = ["Content-Type: text/html; charset=utf-8"]

    private static let portals: [HostileCase] = [
        status("511 Network Authentication Required", page, .failure(.captivePortal)),
        HostileCase("a page under the name of a disk image", .bytes(Array("<html>log in".utf8)), saw: ["/f.iso whole"])
        {
            _, connection, _ in
            connection.respond("200 OK", page, body: Array("<html>log in".utf8))
        }.with { $0.path = "/f.iso" },
        HostileCase(
            "a redirect to a page", .bytes(Array("<html>log in".utf8)), saw: ["/f.iso whole", "/login whole"]
        ) { request, connection, _ in
            guard request.target == "/login" else { return connection.redirect("/login") }
            connection.respond("200 OK", page, body: Array("<html>log in".utf8))
        }.with { $0.path = "/f.iso" },
        HostileCase(
            "a page of this machine instead of the rest", .bytes(Array("<html>log in".utf8)),
            saw: ["/f 500- if \"v1\"", whole]
        ) { _, connection, _ in
            connection.respond("200 OK", page, body: Array("<html>log in".utf8))
        }.after(500),
        HostileCase("a requested HTML page", .bytes(Array("<html>hi".utf8)), saw: ["/f.html whole"]) {
            _, connection, _ in
            connection.respond("200 OK", page, body: Array("<html>hi".utf8))
        }.with { $0.path = "/f.html" },
    ]
}

extension HostileConnection {
    fileprivate func redirect(_ location: String) { respond("302 Found", ["Location: \(location)"]) }
}
