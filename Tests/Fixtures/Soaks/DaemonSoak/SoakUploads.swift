// SPDX-License-Identifier: Apache-2.0
import HostileServer
import Synchronization

/// The server's side of uploads: what came of each file, which has a server of its own that takes it slowly or at once.
final class SoakUploads: Sendable {
    private struct State {
        var servers: [String: any UploadServer] = [:]
        /// Those that are over, and whether what came of them may still be removed.
        var closed: [String: Bool] = [:]
        var askedAgain: [String] = []
        var continued = 0
    }

    private static let folder = "/uploads"
    private let state = Mutex(State())
    private let content: SoakContent

    init(_ content: SoakContent) { self.content = content }

    /// The path that an upload was begun at, which a request at the place that it has since belongs to, too; nil for what is
    /// no upload.
    static func path(of target: String) -> String? {
        let parts = target.split(separator: "/")
        let path = target.hasPrefix(folder + "/") && parts.count == 3 ? "/\(parts[1])" : target
        return UploadManner(path: path).map { _ in path }
    }

    /// From now on nobody should send anything of it any more; what came of one that was cancelled may be removed.
    func close(_ path: String, isCancelled: Bool) { state.withLock { $0.closed[path] = isCancelled } }

    /// What was asked for though it was over.
    var askedAgain: [String] { state.withLock(\.askedAgain) }

    /// How many requests went on in the middle of a file.
    var continued: Int { state.withLock(\.continued) }

    /// Each body of that upload that came whole.
    func bodies(_ path: String) -> [[UInt8]] { state.withLock { $0.servers[path]?.places.complete ?? [] } }

    /// Lets go of what came of one that is over.
    func forget(_ path: String) { state.withLock { $0.servers[path] = nil } }

    /// Those of which something may have come, and which were not forgotten.
    var paths: [String] { state.withLock { $0.servers.keys.sorted() } }

    func answer(_ request: HostileRequest, _ connection: HostileConnection, of path: String) {
        let server = state.withLock { state -> any UploadServer in
            let mayBe = state.closed[path].map { $0 && ["OPTIONS", "DELETE"].contains(request.method) } ?? true
            if !mayBe { state.askedAgain.append("\(path) (\(request.method))") }
            if request.method == "PATCH", request.value("Upload-Offset") != "0" { state.continued += 1 }
            let server = state.servers[path] ?? make(path)
            state.servers[path] = server
            return server
        }
        server.serve(request, connection)
    }

    private func make(_ path: String) -> any UploadServer {
        var faults = UploadPlaces.Faults()
        faults.pause = content.pause(path)
        let folder = Self.folder + path
        if UploadManner(path: path) == .tus { return TusServer(faults, under: folder) }
        faults.offersNothing = UploadManner(path: path) == .put
        return DraftUploadServer(faults, under: folder)
    }
}

/// A server of one of the protocols.
private protocol UploadServer: Sendable {
    var places: UploadPlaces { get }
    func serve(_ request: HostileRequest, _ connection: HostileConnection)
}

extension DraftUploadServer: UploadServer {}
extension TusServer: UploadServer {}
