// SPDX-License-Identifier: Apache-2.0

/// An in-memory server for tus 1.0 with the creation, expiration, and termination extensions.
///
/// The server is written from the protocol's text, not from a client.
public struct TusServer: Sendable {
    /// The uploads and the faults.
    public let uploads: UploadStore

    /// Creates an empty server with the given faults. Its uploads have paths below `folder`.
    public init(_ faults: UploadStore.Faults = .init(), under folder: String = "/uploads") {
        uploads = UploadStore(faults, under: folder)
    }

    /// Responds to a request. POST to any path creates an upload.
    public func serve(_ request: HostileRequest, _ connection: HostileConnection) {
        if request.method == "OPTIONS", !uploads.faults.offersNoResumption {
            let extensions = "creation,expiration" + (uploads.faults.allowsRemoval ? ",termination" : "")
            let fields = ["Tus-Resumable: 1.0.0", "Tus-Version: 1.0.0,0.2.2", "Tus-Extension: \(extensions)"]
            connection.send((["HTTP/1.1 204 No Content"] + fields + close).joined(separator: "\r\n") + "\r\n\r\n")
            return end(connection)
        }
        guard request.value("Tus-Resumable") == "1.0.0", !uploads.faults.offersNoResumption else {
            return servePlainly(request, connection)
        }
        switch request.method {
        case "POST": create(request, connection)
        case "HEAD": sendOffset(request, connection)
        case "PATCH": append(request, connection)
        case "DELETE" where uploads.faults.allowsRemoval: remove(request, connection)
        default: connection.respond("405 Method Not Allowed")
        }
    }

    /// Receives a plain upload, as a server without tus does.
    private func servePlainly(_ request: HostileRequest, _ connection: HostileConnection) {
        guard request.method == "POST", let length = request.contentLength else {
            connection.respond("405 Method Not Allowed")
            return
        }
        let path = uploads.make(length: length)
        guard uploads.receive(length, for: path, from: connection) else { return }
        uploads[path]?.isComplete = true
        connection.respond("200 OK", body: "plain".utf8)
    }

    private func create(_ request: HostileRequest, _ connection: HostileConnection) {
        guard let length = request.value("Upload-Length").flatMap({ Int($0) }), request.contentLength == 0 else {
            connection.respond("400 Bad Request")
            return
        }
        connection.respond(
            "201 Created", ["Tus-Resumable: 1.0.0", "Location: \(uploads.make(length: length))"] + close)
        end(connection)
    }

    private var close: [String] { uploads.faults.closesConnections ? ["Connection: close"] : [] }

    private func end(_ connection: HostileConnection) { if uploads.faults.closesConnections { connection.finish() } }

    private func remove(_ request: HostileRequest, _ connection: HostileConnection) {
        let isThere = uploads[request.target] != nil
        uploads[request.target] = nil
        head(isThere ? "204 No Content" : "404 Not Found", [], connection)
    }

    private func sendOffset(_ request: HostileRequest, _ connection: HostileConnection) {
        guard let upload = uploads.claim(request.target) else { return head("404 Not Found", [], connection) }
        head(
            "200 OK",
            ["Upload-Offset: \(upload.bytes.count)", "Upload-Length: \(upload.length)", "Cache-Control: no-store"]
                + close,
            connection)
        end(connection)
    }

    private func append(_ request: HostileRequest, _ connection: HostileConnection) {
        guard let upload = uploads.claim(request.target) else {
            connection.respond("404 Not Found")
            connection.reset()
            return
        }
        guard request.value("Content-Type") == "application/offset+octet-stream", let count = request.contentLength
        else {
            connection.respond("415 Unsupported Media Type")
            connection.finish()
            return
        }
        guard request.value("Upload-Offset") == String(upload.bytes.count) else {
            connection.respond("409 Conflict", ["Tus-Resumable: 1.0.0"])
            connection.finish()
            return
        }
        guard uploads.receive(count, for: request.target, turn: upload.turn, from: connection) else { return }
        let offset = uploads[request.target]?.bytes.count ?? 0
        if offset == upload.length { uploads[request.target]?.isComplete = true }
        head("204 No Content", ["Upload-Offset: \(offset)"], connection)
    }

    private func head(_ status: String, _ fields: [String], _ connection: HostileConnection) {
        let lines = ["HTTP/1.1 \(status)", "Tus-Resumable: 1.0.0"] + fields
        connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    }
}
