// SPDX-License-Identifier: Apache-2.0

/// An in-memory server for tus 1.0 with the creation, expiration, and termination extensions.
///
/// The server is written from the protocol's text, not from a client.
public struct TusServer: Sendable {
    /// The uploads and the faults.
    public let places: UploadPlaces

    /// Creates an empty server with the given faults. Its uploads have paths below `folder`.
    public init(_ faults: UploadPlaces.Faults = .init(), under folder: String = "/uploads") {
        places = UploadPlaces(faults, under: folder)
    }

    /// Answers a request. POST to any path creates an upload.
    public func serve(_ request: HostileRequest, _ connection: HostileConnection) {
        if request.method == "OPTIONS", !places.faults.offersNothing {
            let extensions = "creation,expiration" + (places.faults.allowsRemoval ? ",termination" : "")
            let fields = ["Tus-Resumable: 1.0.0", "Tus-Version: 1.0.0,0.2.2", "Tus-Extension: \(extensions)"]
            connection.send((["HTTP/1.1 204 No Content"] + fields + close).joined(separator: "\r\n") + "\r\n\r\n")
            return end(connection)
        }
        guard request.value("Tus-Resumable") == "1.0.0", !places.faults.offersNothing else {
            return servePlainly(request, connection)
        }
        switch request.method {
        case "POST": create(request, connection)
        case "HEAD": tellOffset(request, connection)
        case "PATCH": append(request, connection)
        case "DELETE" where places.faults.allowsRemoval: remove(request, connection)
        default: connection.answer("405 Method Not Allowed")
        }
    }

    /// Receives a plain upload, as a server without tus does.
    private func servePlainly(_ request: HostileRequest, _ connection: HostileConnection) {
        guard request.method == "POST", let length = request.contentLength else {
            connection.answer("405 Method Not Allowed")
            return
        }
        let path = places.make(length: length)
        guard places.receive(length, for: path, from: connection) else { return }
        places[path]?.isComplete = true
        connection.answer("200 OK", body: "plain".utf8)
    }

    private func create(_ request: HostileRequest, _ connection: HostileConnection) {
        guard let length = request.value("Upload-Length").flatMap({ Int($0) }), request.contentLength == 0 else {
            connection.answer("400 Bad Request")
            return
        }
        connection.answer(
            "201 Created", ["Tus-Resumable: 1.0.0", "Location: \(places.make(length: length))"] + close)
        end(connection)
    }

    private var close: [String] { places.faults.keepsNoConnection ? ["Connection: close"] : [] }

    private func end(_ connection: HostileConnection) { if places.faults.keepsNoConnection { connection.finish() } }

    private func remove(_ request: HostileRequest, _ connection: HostileConnection) {
        let isThere = places[request.target] != nil
        places[request.target] = nil
        head(isThere ? "204 No Content" : "404 Not Found", [], connection)
    }

    private func tellOffset(_ request: HostileRequest, _ connection: HostileConnection) {
        if places.spend(\.locks) { return head("423 Locked", [], connection) }
        guard let place = places.takeOver(request.target) else { return head("404 Not Found", [], connection) }
        let offset = place.bytes.count + places.faults.offsetError
        head(
            "200 OK",
            ["Upload-Offset: \(offset)", "Upload-Length: \(place.length)", "Cache-Control: no-store"] + close,
            connection)
        end(connection)
    }

    private func append(_ request: HostileRequest, _ connection: HostileConnection) {
        guard let place = places.takeOver(request.target) else {
            connection.answer("404 Not Found")
            connection.reset()
            return
        }
        guard request.value("Content-Type") == "application/offset+octet-stream", let count = request.contentLength
        else {
            connection.answer("415 Unsupported Media Type")
            connection.finish()
            return
        }
        guard request.value("Upload-Offset") == String(place.bytes.count) else {
            connection.answer("409 Conflict", ["Tus-Resumable: 1.0.0"])
            connection.finish()
            return
        }
        guard places.receive(count, for: request.target, turn: place.turn, from: connection) else { return }
        if places.spend(\.overloads) {
            connection.answer("503 Service Unavailable", ["Retry-After: 7"])
            return
        }
        let offset = places[request.target]?.bytes.count ?? 0
        if offset == place.length { places[request.target]?.isComplete = true }
        head("204 No Content", ["Upload-Offset: \(offset)"], connection)
    }

    private func head(_ status: String, _ fields: [String], _ connection: HostileConnection) {
        let lines = ["HTTP/1.1 \(status)", "Tus-Resumable: 1.0.0"] + fields
        connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    }
}
