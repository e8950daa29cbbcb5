// SPDX-License-Identifier: Apache-2.0
import HostileServer

/// Serves and takes files that their paths tell of.
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

    /// The file of that path.
    func bytes(_ path: String) -> ArraySlice<UInt8> { content.bytes(path) }

    /// From now on nobody should ask for it any more.
    func close(_ path: String, isCancelled: Bool) {
        if UploadManner(path: path) == nil {
            downloads.close(path)
        } else {
            uploads.close(path, isCancelled: isCancelled)
        }
    }

    /// What was asked for though it was over.
    var askedAgain: [String] { downloads.askedAgain + uploads.askedAgain }

    func stop() {
        server.stop()
        server.forgetRequests()
    }
}
