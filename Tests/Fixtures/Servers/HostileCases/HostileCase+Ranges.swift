// SPDX-License-Identifier: Apache-2.0
import HTTPExecutor
import HostileServer
import TransferEngine
import TransferModel
import TransferPolicy

/// Cases with wrong parts, 416 responses, changing versions, and content encodings.
extension HostileCase {
    /// Returns a case that responds to each range request with 206, the given `Content-Range`, and 100 wrong bytes.
    ///
    /// A request for the whole file gets the correct response.
    private static func part(_ name: String, _ range: String?, tag: String = "\"v1\"") -> HostileCase {
        HostileCase(name, .file, saw: ["/f 500- if \"v1\"", whole]) { request, connection, environment in
            guard request.range != nil else { return environment.file.serve(request, connection) }
            let fields = range.map { ["Content-Range: \($0)"] } ?? []
            connection.respond(
                "206 Partial Content", ["ETag: \(tag)"] + fields, body: [UInt8](repeating: 0x58, count: 100))
        }.after(500)
    }

    static let ranges: [HostileCase] = parts + refusedRanges

    private static let parts: [HostileCase] = [
        part("a part that begins earlier", "bytes 400-499/1000"),
        part("a part that begins later", "bytes 501-600/1000"),
        part("a part of a larger file", "bytes 500-599/1001"),
        part("a part of a smaller file", "bytes 500-599/600"),
        part("a part of a file of unknown size", "bytes 500-599/*"),
        part("a part of another version", "bytes 500-599/1000", tag: "\"v2\""),
        part("a part with a weak entity tag", "bytes 500-599/1000", tag: "W/\"v1\""),
        part("a part without Content-Range", nil),
        part("a part that ends before it begins", "bytes 599-500/1000"),
        part("a part that ends beyond the file", "bytes 500-1000/1000"),
        part("a part in another unit", "lines 500-599/1000"),
        part("a part with an invalid range", "bytes 500-/1000"),
        part("a part with a negative range", "bytes -500-599/1000"),
        HostileCase("several parts in one body", .file, saw: ["/f 500- if \"v1\"", whole]) {
            request, connection, environment in
            guard request.range != nil else { return environment.file.serve(request, connection) }
            let part = "\r\n--x\r\nContent-Type: a/b\r\nContent-Range: bytes 500-501/1000\r\n\r\nab\r\n--x--\r\n"
            connection.respond(
                "206 Partial Content", ["ETag: \"v1\"", "Content-Type: multipart/byteranges; boundary=x"],
                body: Array(part.utf8))
        }.after(500),
        HostileCase(
            "a part in response to a request for the whole file", .failure(.malformedResponse), saw: [whole]
        ) {
            request, connection, environment in
            connection.respond(
                "206 Partial Content", ["Content-Range: bytes 5-8/1000"], body: Array("part".utf8))
        },
        HostileCase(
            "parts shorter than requested", .file,
            saw: [400, 500, 600, 700, 800, 900].map { "/f \($0)- if \"v1\"" }
        ) { request, connection, environment in
            let start = request.range?.first ?? 0
            connection.respond(
                "206 Partial Content", ["ETag: \"v1\"", "Content-Range: bytes \(start)-\(start + 99)/1000"],
                body: environment.file.bytes[start..<(start + 100)])
        }.after(400),
        HostileCase("200 without range support", .file, saw: [whole]) {
            request, connection, environment in
            connection.respond("200 OK", ["ETag: \"v1\"", "Accept-Ranges: none"], body: environment.file.bytes)
        },
        HostileCase(
            "200 in response to a continued range: starts over with the same response", .file,
            saw: ["/f 500- if \"v1\""]
        ) {
            request, connection, environment in
            connection.respond("200 OK", ["ETag: \"v1\""], body: environment.file.bytes)
        }.after(500),
        HostileCase(
            "200 of another version in response to a continued range", .bytes(ServedFile.content(900, seed: 2)),
            saw: [rest]
        ) { request, connection, environment in
            environment.newer.serve(request, connection)
        }.after(400),
        HostileCase(
            "200 with Content-Range for the whole file, cut", .failure(.connection, keeping: 100...100), saw: [whole]
        ) {
            request, connection, environment in
            connection.respond(
                "200 OK", ["ETag: \"v1\"", "Content-Range: bytes 0-99/1000"], body: environment.file.bytes.prefix(100))
        },
        HostileCase("200 with the rest only", .file, saw: [rest, whole]) { request, connection, environment in
            guard request.isContinuing else { return environment.file.serve(request, connection) }
            connection.respond("200 OK", ["ETag: \"v1\""], body: environment.file.bytes.dropFirst(400))
        }.after(400),
    ]

    /// Returns a case that responds with 416 and the given fields to a request that continues after `count` bytes.
    ///
    /// A request for the whole file gets the correct response.
    private static func refused(
        _ name: String, _ fields: [String], after count: Int, saw: [String]
    ) -> HostileCase {
        HostileCase(name, .file, saw: saw) { request, connection, environment in
            guard request.range != nil else { return environment.file.serve(request, connection) }
            connection.respond("416 Range Not Satisfiable", fields, body: Array("no".utf8))
        }.after(count)
    }

    private static let refusedRanges: [HostileCase] = [
        refused(
            "416 with the full size already received", ["Content-Range: bytes */1000", "ETag: \"v1\""], after: 1000,
            saw: ["/f 1000- if \"v1\""]),
        refused(
            "416 with the full size already received, of another version",
            ["Content-Range: bytes */1000", "ETag: \"v2\""],
            after: 1000, saw: ["/f 1000- if \"v1\"", whole]),
        refused(
            "416 with a larger size", ["Content-Range: bytes */2000"], after: 1000,
            saw: ["/f 1000- if \"v1\"", whole]),
        refused(
            "416 with a smaller size", ["Content-Range: bytes */400"], after: 500, saw: ["/f 500- if \"v1\"", whole]),
        refused("416 without Content-Range", [], after: 1000, saw: ["/f 1000- if \"v1\"", whole]),
        refused(
            "416 with an invalid size", ["Content-Range: bytes */-5"], after: 1000,
            saw: ["/f 1000- if \"v1\"", whole]),
        HostileCase("416 for every request", .response(416), saw: [whole]) { request, connection, environment in
            connection.respond("416 Range Not Satisfiable", ["Content-Range: bytes */1000"])
        },
    ]

    // MARK: Versions

    /// Returns a case that continues after 400 bytes of a version, and serves the rest with the given fields.
    private static func versioned(
        _ name: String, tag: String? = nil, modified: String? = nil, rest fields: [String], isContinued: Bool = false
    ) -> HostileCase {
        let request = "/f 400- if \(tag ?? modified ?? "")"
        return HostileCase(name, .file, saw: isContinued ? [request] : [request, whole]) {
            request, connection, environment in
            guard request.isContinuing else { return environment.file.serve(request, connection) }
            var file = environment.file
            (file.entityTag, file.lastModified, file.date) = (nil, nil, nil)
            file.extraFields = fields
            // The server ignores the condition, so the part is sent even if the version has changed.
            var unconditional = request
            unconditional.fields.removeAll { $0.name == "If-Range" }
            file.serve(unconditional, connection)
        }.after(400, tag: tag, modified: modified)
    }

    private static let date = "Date: Sat, 01 Aug 2026 12:00:00 GMT"
    private static let modified = "Sat, 01 Aug 2026 11:00:00 GMT"
    private static let later = "Last-Modified: Sat, 01 Aug 2026 11:30:00 GMT"

    static let versions: [HostileCase] = [
        versioned("the tag changes", tag: "\"v1\"", rest: ["ETag: \"v2\""]),
        versioned("the tag is missing", tag: "\"v1\"", rest: []),
        versioned("the tag becomes weak", tag: "\"v1\"", rest: ["ETag: W/\"v1\""]),
        versioned("Last-Modified changes", modified: modified, rest: [date, later]),
        versioned(
            "Last-Modified alone is sufficient to continue", modified: modified,
            rest: [date, "Last-Modified: \(modified)"], isContinued: true),
        versioned(
            "the tag stays and Last-Modified changes", tag: "\"v1\"", modified: modified,
            rest: ["ETag: \"v1\"", date, later]),
        HostileCase("a weak tag identifies no version", .file, saw: [whole]) { request, connection, environment in
            environment.file.serve(request, connection)
        }.after(400, tag: "W/\"v1\""),
        HostileCase("a tag without quotes identifies no version", .file, saw: [whole]) {
            request, connection, environment in
            environment.file.serve(request, connection)
        }.after(400, tag: "v1"),
        HostileCase(
            "the file changes at every request", .failure(.connection, keeping: 100...100), saw: [rest, whole]
        ) { request, connection, environment in
            // This server responds even to a request for the whole file with a part of yet another version.
            var file = environment.file
            file.entityTag = "\"\(environment.count("version"))\""
            var ranged = request
            ranged.fields.removeAll { $0.name == "If-Range" }
            if request.range == nil { ranged.fields.append(("Range", "bytes=0-99")) }
            file.serve(ranged, connection)
        }.after(400),
    ]

    // MARK: Encodings

    /// The text `hello`, compressed with gzip.
    private static let gzip: [UInt8] = [
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 7, 0, 0x86, 0xa6, 0x10, 0x36, 5, 0, 0, 0,
    ]

    static let codings: [HostileCase] =
        ["gzip", "deflate", "br", "x-unknown"].map { coding in
            HostileCase("a body with unrequested \(coding) encoding is stored unchanged", .bytes(gzip), saw: [whole]) {
                request, connection, environment in
                connection.respond("200 OK", ["Content-Encoding: \(coding)", "ETag: \"v1\""], body: gzip)
            }.underURLSession(.failure(.encodedBody))
        } + [
            HostileCase("a truncated gzip body", .failure(.connection, keeping: 0...20), saw: [whole]) {
                request, connection, environment in
                connection.respond("200 OK", ["Content-Encoding: gzip", "Content-Length: 25"], body: gzip.prefix(20))
                connection.finish()
            }.with {
                $0.underURLSession = .ends(.failure(.encodedBody))
            },
            HostileCase("a continued gzip part", .file, saw: ["/f 500- if \"v1\"", whole]) {
                request, connection, environment in
                guard request.range != nil else { return environment.file.serve(request, connection) }
                connection.serve(environment.file, request, adding: ["Content-Encoding: gzip"])
            }.after(500),
            HostileCase("identity encoding", .file, saw: [whole]) { request, connection, environment in
                connection.serve(environment.file, request, adding: ["Content-Encoding: identity"])
            },
        ]
}
