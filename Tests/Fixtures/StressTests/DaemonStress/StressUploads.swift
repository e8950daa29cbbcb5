// SPDX-License-Identifier: Apache-2.0
import HostileServer
import Synchronization

/// The server's side of uploads. Each file has its own server, which receives the file slowly or immediately.
final class StressUploads: Sendable {
    private struct State {
        var servers: [String: any UploadServer] = [:]
        /// The paths that have ended. The value indicates whether the received bytes may still be deleted.
        var closed: [String: Bool] = [:]
        var requestedAgain: [String] = []
        var continued = 0
    }

    private static let folder = "/uploads"
    private let state = Mutex(State())
    private let content: StressContent

    init(_ content: StressContent) { self.content = content }

    /// Returns the original path of an upload, for a request to this path or to the upload's own URL.
    ///
    /// - Returns: `nil` if the target is not an upload.
    static func path(of target: String) -> String? {
        let components = target.split(separator: "/")
        let path = target.hasPrefix(folder + "/") && components.count == 3 ? "/\(components[1])" : target
        return UploadProtocol(path: path).map { _ in path }
    }

    /// Marks a path as ended. Later requests for the path are recorded, except the deletion of a canceled upload.
    func close(_ path: String, isCancelled: Bool) { state.withLock { $0.closed[path] = isCancelled } }

    /// The paths that received a request after their transfer had ended.
    var requestedAgain: [String] { state.withLock(\.requestedAgain) }

    /// The number of requests that continued in the middle of a file.
    var continued: Int { state.withLock(\.continued) }

    /// Returns every complete body of an upload.
    func bodies(_ path: String) -> [[UInt8]] { state.withLock { $0.servers[path]?.uploads.complete ?? [] } }

    /// Discards the received bytes of an ended upload.
    func forget(_ path: String) { state.withLock { $0.servers[path] = nil } }

    /// The paths of uploads that may have received bytes and were not discarded.
    var paths: [String] { state.withLock { $0.servers.keys.sorted() } }

    func respond(_ request: HostileRequest, _ connection: HostileConnection, of path: String) {
        let server = state.withLock { state -> any UploadServer in
            let isAllowed = state.closed[path].map { $0 && ["OPTIONS", "DELETE"].contains(request.method) } ?? true
            if !isAllowed { state.requestedAgain.append("\(path) (\(request.method))") }
            if request.method == "PATCH", request.value("Upload-Offset") != "0" { state.continued += 1 }
            let server = state.servers[path] ?? make(path)
            state.servers[path] = server
            return server
        }
        server.serve(request, connection)
    }

    private func make(_ path: String) -> any UploadServer {
        var faults = UploadStore.Faults()
        faults.pause = content.pause(path)
        let folder = Self.folder + path
        if UploadProtocol(path: path) == .tus { return TusServer(faults, under: folder) }
        faults.offersNoResumption = UploadProtocol(path: path) == .put
        return DraftUploadServer(faults, under: folder)
    }
}

/// A server for one of the upload protocols.
private protocol UploadServer: Sendable {
    var uploads: UploadStore { get }
    func serve(_ request: HostileRequest, _ connection: HostileConnection)
}

extension DraftUploadServer: UploadServer {}
extension TusServer: UploadServer {}
