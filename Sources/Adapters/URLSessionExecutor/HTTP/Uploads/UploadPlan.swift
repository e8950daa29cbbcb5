// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What the deciding code needs to know of an upload before its first request.
struct UploadPlan: Hashable, Sendable {
    /// Smaller files go in one plain request: sending them anew costs less than asking how to go on.
    static let smallestResumable: Int64 = 65536

    var request: RequestPlan
    var source: UploadSource
    /// Where an earlier attempt came to, and how much the server had of it.
    var resume: UploadResume?
    var offset: Int64 = 0

    /// Whether the server is asked for a way to go on after an interruption.
    var isResumable: Bool { source.resumption == .automatic && source.size >= Self.smallestResumable }
}
