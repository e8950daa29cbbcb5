// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The properties of the server's file, as stated in the head of a response.
package struct ServerFile: Hashable, Sendable, Codable {
    /// The URL of the file after redirects.
    package var url: String
    package var status: Int
    /// The size in bytes, or `nil` if the size is unknown.
    package var total: Int64?
    /// The version of the file as named by the server.
    package var version: Validator?
    /// The version for continuing the file. `nil` forbids a continuation.
    package var continuing: Validator?
    package var disposition: String?
    package var lastModified: String?
    /// The media type as named by the server.
    package var mediaType = ""

    package init(
        url: String, status: Int, total: Int64? = nil, version: Validator? = nil, continuing: Validator? = nil,
        disposition: String? = nil, lastModified: String? = nil, mediaType: String = ""
    ) {
        (self.url, self.status, self.total) = (url, status, total)
        (self.version, self.continuing) = (version, continuing)
        (self.disposition, self.lastModified, self.mediaType) = (disposition, lastModified, mediaType)
    }

    /// The status that is reported to the app. Partial requests are internal to the executor, and the app receives
    /// the whole file.
    package var finalStatus: Int { status == 206 ? 200 : status }
}
