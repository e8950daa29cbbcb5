// SPDX-License-Identifier: Apache-2.0
import HostileServer

/// A server for downloads and uploads whose content derives from the paths.
final class SoakServer: Sendable {
    let downloads: SoakDownloads
    let uploads: SoakUploads
    private let content: SoakContent
    private let server: HostileServer

    init(seed: UInt64) throws {
        let content = SoakContent(seed: seed)
        let (downloads, uploads) = (SoakDownloads(content), SoakUploads(content))
        (self.content, self.downloads, self.uploads) = (content, downloads, uploads)
        server = try HostileServer { request, connection in
            if let path = SoakUploads.path(of: request.target) {
                uploads.answer(request, connection, of: path)
            } else {
                downloads.answer(request, connection)
            }
        }
    }

    func url(_ path: String) -> String { server.url(path) }

    /// Returns the content of the file at a path.
    func bytes(_ path: String) -> ArraySlice<UInt8> { content.bytes(path) }

    /// Marks a path as ended. Later requests for the path are recorded.
    func close(_ path: String, isCancelled: Bool) {
        if UploadManner(path: path) == nil {
            downloads.close(path)
        } else {
            uploads.close(path, isCancelled: isCancelled)
        }
    }

    /// The paths that were requested after their transfer had ended.
    var askedAgain: [String] { downloads.askedAgain + uploads.askedAgain }

    func stop() {
        server.stop()
        server.forgetRequests()
    }
}
