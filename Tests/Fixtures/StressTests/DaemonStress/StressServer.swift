// SPDX-License-Identifier: Apache-2.0
import HostileServer

/// A server for downloads and uploads whose content derives from the paths.
final class StressServer: Sendable {
    let downloads: StressDownloads
    let uploads: StressUploads
    private let content: StressContent
    private let server: HostileServer

    init(seed: UInt64) throws {
        let content = StressContent(seed: seed)
        let (downloads, uploads) = (StressDownloads(content), StressUploads(content))
        (self.content, self.downloads, self.uploads) = (content, downloads, uploads)
        server = try HostileServer { request, connection in
            if let path = StressUploads.path(of: request.target) {
                uploads.respond(request, connection, of: path)
            } else {
                downloads.respond(request, connection)
            }
        }
    }

    func url(_ path: String) -> String { server.url(path) }

    /// Returns the content of the file at a path.
    func bytes(_ path: String) -> ArraySlice<UInt8> { content.bytes(path) }

    /// Marks a path as ended. Later requests for the path are recorded.
    func close(_ path: String, isCancelled: Bool) {
        if UploadProtocol(path: path) == nil {
            downloads.close(path)
        } else {
            uploads.close(path, isCancelled: isCancelled)
        }
    }

    /// The paths that were requested after their transfer had ended.
    var requestedAgain: [String] { downloads.requestedAgain + uploads.requestedAgain }

    func stop() {
        server.stop()
        server.discardRequests()
    }
}
