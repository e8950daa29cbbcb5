// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// What the head of an answer told of the server's file.
package struct ServerFile: Hashable, Sendable, Codable {
    /// Where it came from, redirects followed.
    package var url: String
    package var status: Int
    /// The size; nil when unknown.
    package var total: Int64?
    /// Its version, as the server names it.
    package var version: Validator?
    /// The version where it may be continued; nil forbids it.
    package var continuing: Validator?
    package var disposition: String?
    package var lastModified: String?
    /// The media type, as the server names it.
    package var mediaType = ""

    package init(
        url: String, status: Int, total: Int64? = nil, version: Validator? = nil, continuing: Validator? = nil,
        disposition: String? = nil, lastModified: String? = nil, mediaType: String = ""
    ) {
        (self.url, self.status, self.total) = (url, status, total)
        (self.version, self.continuing) = (version, continuing)
        (self.disposition, self.lastModified, self.mediaType) = (disposition, lastModified, mediaType)
    }

    /// The status as the app sees it. The ranges were our own affair: what the app asked for came whole.
    package var finalStatus: Int { status == 206 ? 200 : status }
}
