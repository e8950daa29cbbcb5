// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// What the head of an answer told of the server's file.
package struct ServerFile: Hashable, Sendable, Codable {
    /// Where it came from, redirects followed.
    package var url: String
    package var status: Int
    /// The size; nil when unknown.
    var total: Int64?
    /// Its version, as the server names it.
    package var version: Validator?
    /// The version where it may be continued; nil forbids it.
    var continuing: Validator?
    package var disposition: String?
    package var lastModified: String?
    /// The media type, as the server names it.
    var mediaType = ""

    /// The status as the app sees it. The ranges were our own affair: what the app asked for came whole.
    var finalStatus: Int { status == 206 ? 200 : status }
}

extension ServerFile {
    init(_ head: ResponseHead, from url: String, total: Int64?) {
        self.init(
            url: url, status: head.status, total: total, version: head.version, continuing: head.continuingVersion,
            disposition: head.value("Content-Disposition"), lastModified: head.value("Last-Modified"),
            mediaType: head.mediaType)
    }
}
