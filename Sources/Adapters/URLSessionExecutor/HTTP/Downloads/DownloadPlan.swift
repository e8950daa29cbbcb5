// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// What the deciding code needs to know of a download before its first request.
struct DownloadPlan: Hashable, Sendable {
    var url: String
    var headers: [HeaderField]
    var userAgent: String
    var logins = LoginPlan()
    /// Host and port of the proxy that requests go through; nil where there is none.
    var proxy: String?
    /// How much the first request asks for.
    var firstRequestBytes: Int64 = 65536
    var allowsInsecureRedirect = false
    /// Whether redirects must stay on this machine.
    var staysOnLoopback = false
    var keepsErrorBody = false
    var maximumBytes: Int64?
    /// Whether an encoded body arrives as it was sent, so that its length can be checked.
    var deliversEncodedBodies = true
    /// How many bytes of the partial file there are, and what they belong to.
    var offset: Int64 = 0
    var total: Int64?
    var validator: Validator?
    /// Further bytes of it beyond `offset`, in order.
    var extents: [Range<Int64>] = []
    /// The most requests for pieces of the file at once.
    var connections = 1
    /// The size and version of a file that an earlier run finished.
    var completedBefore: CompletedFile?
    /// Seconds since 1970, to read a date in `Retry-After`.
    var now: Int64 = 0
}

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
