// SPDX-License-Identifier: Apache-2.0

/// An in-memory server for draft-ietf-httpbis-resumable-upload, interop version 8.
///
/// The server is written from the draft's text, not from a client.
public struct DraftUploadServer: Sendable {
    /// The uploads and the faults.
    public let uploads: UploadStore
    private let limits = "Upload-Limit: max-age=3600"

    /// Creates an empty server with the given faults. Its uploads have paths below `folder`.
    public init(_ faults: UploadStore.Faults = .init(), under folder: String = "/uploads") {
        uploads = UploadStore(faults, under: folder)
    }

    /// Responds to a request. PUT and POST to any path create an upload.
    public func serve(_ request: HostileRequest, _ connection: HostileConnection) {
        switch request.method {
        case "PUT", "POST": create(request, connection)
        case "HEAD": sendOffset(request, connection)
        case "PATCH": append(request, connection)
        case "DELETE" where uploads.faults.allowsRemoval:
            let isThere = uploads[request.target] != nil
            uploads[request.target] = nil
            head(isThere ? "204 No Content" : "404 Not Found", [], connection)
        case "OPTIONS": connection.respond("200 OK", ["Accept-Patch: application/partial-upload"])
        default: connection.respond("405 Method Not Allowed")
        }
    }

    private func create(_ request: HostileRequest, _ connection: HostileConnection) {
        guard let length = request.contentLength else {
            connection.respond("411 Length Required")
            connection.finish()
            return
        }
        let path = uploads.make(length: length)
        let isOffered =
            request.value("Upload-Draft-Interop-Version") == "8" && request.value("Upload-Complete") == "?1"
        if isOffered, !uploads.faults.offersNoResumption {
            interim(["Location: \(path)", limits], connection)
        }
        finish(length, path, connection)
    }

    private func sendOffset(_ request: HostileRequest, _ connection: HostileConnection) {
        guard let upload = uploads.claim(request.target) else { return head("404 Not Found", [], connection) }
        let fields = ["Upload-Complete: ?\(upload.isComplete ? 1 : 0)", "Upload-Offset: \(upload.bytes.count)"]
        let close = uploads.faults.closesConnections ? ["Connection: close"] : []
        head(
            "204 No Content", fields + ["Upload-Length: \(upload.length)", "Cache-Control: no-store", limits] + close,
            connection
        )
        if uploads.faults.closesConnections { connection.finish() }
    }

    private func append(_ request: HostileRequest, _ connection: HostileConnection) {
        guard let upload = uploads.claim(request.target) else {
            connection.respond("404 Not Found")
            connection.reset()
            return
        }
        guard request.value("Content-Type") == "application/partial-upload", let count = request.contentLength,
            let isLast = request.value("Upload-Complete").map({ $0 == "?1" })
        else {
            connection.respond("415 Unsupported Media Type")
            connection.finish()
            return
        }
        guard request.value("Upload-Offset") == String(upload.bytes.count) else {
            connection.respond("409 Conflict", ["Upload-Offset: \(upload.bytes.count)"])
            connection.finish()
            return
        }
        finish(count, request.target, turn: upload.turn, isLast: isLast, connection)
    }

    /// Receives the rest of a body, reports the offset in an interim response, and completes the
    /// upload after its last part.
    private func finish(
        _ count: Int, _ path: String, turn: Int = 0, isLast: Bool = true, _ connection: HostileConnection
    ) {
        guard uploads.receive(count, for: path, turn: turn, from: connection) else { return }
        if !uploads.faults.offersNoResumption {
            interim(["Upload-Offset: \(uploads[path]?.bytes.count ?? 0)"], connection)
        }
        guard isLast else {
            let offset = uploads[path]?.bytes.count ?? 0
            return head("204 No Content", ["Upload-Complete: ?0", "Upload-Offset: \(offset)"], connection)
        }
        uploads[path]?.isComplete = true
        connection.respond(
            "201 Created", ["Upload-Complete: ?1", "Content-Type: text/plain"], body: "stored \(path)".utf8)
    }

    private func interim(_ fields: [String], _ connection: HostileConnection) {
        let lines = ["HTTP/1.1 104 Upload Resumption Supported", "Upload-Draft-Interop-Version: 8"] + fields
        connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    }

    private func head(_ status: String, _ fields: [String], _ connection: HostileConnection) {
        connection.send((["HTTP/1.1 \(status)"] + fields).joined(separator: "\r\n") + "\r\n\r\n")
    }
}
