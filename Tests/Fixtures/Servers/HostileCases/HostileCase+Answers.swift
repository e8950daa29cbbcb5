// SPDX-License-Identifier: Apache-2.0
import HostileServer
import TransferEngine
import TransferModel
import TransferPolicy
import URLSessionExecutor

/// Cases with redirects, refusals, and answers that are not a file.
extension HostileCase {
    private static let secret = "Bearer secret"

    /// Returns a case that answers every request except `/good` with a redirect.
    private static func redirect(
        _ name: String, to location: String?, status: String = "302 Found", _ ending: Ending = .failure(.redirect),
        saw: [String] = [first]
    ) -> HostileCase {
        HostileCase(name, ending, saw: saw) { request, connection, scene in
            guard request.target != "/good" else { return scene.file.serve(request, connection) }
            connection.answer(status, location.map { ["Location: \($0)"] } ?? [], body: Array("moved".utf8))
        }
    }

    private static let good = ["/good 0-399", "/good 400- if \"v1\""]

    static let redirects: [HostileCase] = refusedRedirects + followedRedirects

    private static let refusedRedirects: [HostileCase] = [
        redirect("a redirect to itself", to: "/f"),
        redirect("a redirect to a local file", to: "file:///etc/passwd"),
        redirect("a redirect to ftp", to: "ftp://127.0.0.1/f"),
        redirect("a redirect to data", to: "data:text/plain,hello"),
        redirect("a redirect to a mailbox", to: "mailto:a@b").endsProcessWithoutRepair,
        redirect("a redirect to a script", to: "javascript:alert(1)").endsProcessWithoutRepair,
        redirect("a redirect without a host", to: "http://").endsProcessWithoutRepair,
        redirect("a redirect to half an address", to: "//[::1").endsProcessWithoutRepair,
        HostileCase("a circle of three", .failure(.redirect), saw: [first, "/a 0-399", "/b 0-399"]) {
            request, connection, _ in
            let next = ["/f": "/a", "/a": "/b"][request.target] ?? "/f"
            connection.answer("302 Found", ["Location: \(next)"])
        },
        HostileCase(
            "a chain of 21", .failure(.redirect), saw: [first] + (1...20).map { "/h\($0) 0-399" }
        ) { request, connection, _ in
            let number = Int(request.target.dropFirst(2)) ?? 0
            connection.answer("302 Found", ["Location: /h\(number + 1)"])
        },
        HostileCase("a chain without end to ever new places", .failure(.redirect)) { request, connection, scene in
            connection.answer("307 Temporary Redirect", ["Location: /\(scene.count("hop"))/x?y"])
        },
        HostileCase("https to http", .failure(.redirect), saw: [first]) { request, connection, scene in
            connection.answer("302 Found", ["Location: \(scene.neighbour.url("/f"))"])
        }.with {
            $0.fault = HostileAuthority.Fault.none
            $0.withoutRepair = .impossible
            $0.inspect = { $0.neighbour.requests.isEmpty ? [] : ["the other origin was asked"] }
        },
        HostileCase("a redirect whose body never ends", .failure(.connection), saw: [first]) {
            request, connection, _ in
            connection.send("HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n")
            while connection.send([UInt8](repeating: 0, count: 65536)) {}
        }.endsProcessWithoutRepair,
    ]

    private static let followedRedirects: [HostileCase] =
        ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"].map {
            redirect("a redirect by \($0)", to: "good", status: $0, .file, saw: [first] + good)
        } + [
            redirect("300 with a Location is an answer", to: "/good", status: "300 Choices", .answer(300)),
            redirect("304 with a Location is an answer", to: "/good", status: "304 Not Modified", .answer(304)),
            redirect("a redirect without Location is an answer", to: nil, .answer(302)),
            // An empty reference resolves to the page itself.
            redirect("a redirect with an empty Location", to: "", .answer(302)).withoutRepair(.failure(.redirect)),
            redirect("a redirect to a fragment of itself", to: "#there"),
            HostileCase(
                "a chain of 20", .file,
                saw: [first] + (1...20).map { "/h\($0) 0-399" } + ["/h20 400- if \"v1\""]
            ) { request, connection, scene in
                let number = Int(request.target.dropFirst(2)) ?? 0
                guard number < 20 else { return scene.file.serve(request, connection) }
                connection.answer("302 Found", ["Location: /h\(number + 1)"])
            },
            HostileCase("another origin gets no secrets", .file, saw: [first]) { request, connection, scene in
                connection.answer(
                    "302 Found", ["Location: \(scene.neighbour.url("/g"))", "Set-Cookie: a=b; Domain=127.0.0.1"])
            }.with {
                $0.specify = { specification, _ in
                    specification.headers = ["Authorization", "Cookie", "X-Key"].map {
                        HeaderField(name: $0, value: secret)
                    }
                }
                $0.inspect = { scene in
                    let here = scene.server?.requests.filter { $0.value("Authorization") != secret } ?? []
                    let there = scene.neighbour.requests.filter { request in
                        ["Authorization", "Cookie", "X-Key"].contains { request.value($0) != nil }
                    }
                    return (here.isEmpty ? [] : ["the secret was kept from its own origin"])
                        + (there.isEmpty ? [] : ["the secret went to another origin"])
                        + (scene.neighbour.requests.map(\.line) == ["/g 0-399", "/g 400- if \"v1\""]
                            ? [] : ["the other origin saw \(scene.neighbour.requests.map(\.line))"])
                }
            },
            HostileCase("the second request is led elsewhere", .file, saw: [first, rest, "/g 400- if \"v1\""]) {
                request, connection, scene in
                if request.target == "/f", !request.isFirst {
                    connection.answer("302 Found", ["Location: /g"])
                } else {
                    scene.file.serve(request, connection)
                }
            },
        ]

    // MARK: Answers

    /// Returns a case that answers every request with a status and a small body.
    private static func status(
        _ status: String, _ fields: [String] = [], _ ending: Ending, named name: String? = nil
    ) -> HostileCase {
        HostileCase(name ?? status, ending, saw: [first]) { request, connection, _ in
            connection.answer(status, fields, body: Array("no".utf8))
        }
    }

    static let answers: [HostileCase] = refusals + laters + empties + portals

    private static let refusals: [HostileCase] =
        ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"1\"", "Bearer", "Negotiate", "Basic", "", "Nonsense a=\"b"]
        .map {
            status(
                "401 Unauthorized", ["WWW-Authenticate: \($0)"], .answer(401), named: "401 with a challenge of '\($0)'")
        } + [
            status("401 Unauthorized", [], .answer(401), named: "401 without a challenge"),
            status(
                "401 Unauthorized", ["WWW-Authenticate: Basic realm=\"x\"", "WWW-Authenticate: Bearer"], .answer(401),
                named: "401 with two challenges"),
            status("407 Proxy", ["Proxy-Authenticate: Basic realm=\"x\""], .answer(407), named: "407 with a challenge"),
            status("407 Proxy", [], .answer(407), named: "407 without one"),
            status("400 Bad Request", [], .answer(400)), status("403 Forbidden", [], .answer(403)),
            status("404 Not Found", [], .answer(404)), status("410 Gone", [], .answer(410)),
            status("451 Unavailable", [], .answer(451)), status("501 Not Implemented", [], .answer(501)),
            HostileCase("404 with a body that never ends", .answer(404), saw: [first]) { _, connection, _ in
                connection.send("HTTP/1.1 404 Not Found\r\n\r\n")
                while connection.send([UInt8](repeating: 0, count: 65536)) {}
            },
            HostileCase("404 with a body that is cut", .answer(404), saw: [first]) { _, connection, _ in
                connection.answer("404 Not Found", ["Content-Length: 100"], body: Array("no".utf8))
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
    /// - Parameter seconds: The expected delay. `.max` stands for more than 2^32 seconds.
    private static func later(_ code: Int, _ value: String, _ seconds: Int64?) -> HostileCase {
        status(
            "\(code) Later", ["Retry-After: \(value)"], .failure(.status(code)), named: "\(code), Retry-After: \(value)"
        )
        .with { $0.retryAfter = .some(seconds) }
    }

    private static let empties: [HostileCase] = [
        status("204 No Content", [], .answer(204), named: "204 with a body"),
        status("205 Reset Content", [], .answer(205), named: "205 with a body"),
        status("304 Not Modified", [], .answer(304), named: "304 unasked, with a body"),
        status("202 Accepted", [], .answer(202)), status("201 Created", [], .answer(201)),
        HostileCase("204 without anything", .answer(204), saw: [first]) { _, connection, _ in
            connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        },
        HostileCase("an empty file", .bytes([]), saw: [first]) { _, connection, _ in
            connection.answer("200 OK", ["ETag: \"v1\""])
        },
        HostileCase("an empty file in chunks", .bytes([]), saw: [first]) { _, connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        },
        HostileCase("an empty file without a length", .bytes([]), saw: [first]) { _, connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            connection.finish()
        },
    ]

    private static let page = ["Content-Type: text/html; charset=utf-8"]

    private static let portals: [HostileCase] = [
        status("511 Network Authentication Required", page, .failure(.captivePortal)),
        HostileCase("a login page in place of a disk image", .failure(.captivePortal), saw: ["/f.iso 0-399"]) {
            _, connection, _ in
            connection.answer("200 OK", page, body: Array("<html>log in".utf8))
        }.with { $0.path = "/f.iso" },
        HostileCase("a redirect to a login page", .failure(.captivePortal), saw: ["/f.iso 0-399", "/login 0-399"]) {
            request, connection, _ in
            guard request.target == "/login" else { return connection.redirect("/login") }
            connection.answer("200 OK", page, body: Array("<html>log in".utf8))
        }.with { $0.path = "/f.iso" },
        HostileCase(
            "a login page in place of the rest", .failure(.captivePortal, keeping: 500...500),
            saw: ["/f 500-899 if \"v1\""]
        ) { _, connection, _ in
            connection.answer("200 OK", page, body: Array("<html>log in".utf8))
        }.after(500),
        HostileCase(
            "a login page in place of the second answer", .failure(.captivePortal, keeping: 400...400),
            saw: [first, rest]
        ) { request, connection, scene in
            if request.isFirst { return scene.file.serve(request, connection) }
            connection.answer("200 OK", page, body: Array("<html>log in".utf8))
        },
        HostileCase("a page that was asked for", .bytes(Array("<html>hi".utf8)), saw: ["/f.html 0-399"]) {
            _, connection, _ in
            connection.answer("200 OK", page, body: Array("<html>hi".utf8))
        }.with { $0.path = "/f.html" },
    ]
}

extension HostileConnection {
    fileprivate func redirect(_ location: String) { answer("302 Found", ["Location: \(location)"]) }
}
