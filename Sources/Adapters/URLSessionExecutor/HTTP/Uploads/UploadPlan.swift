// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The input of `UploadStateMachine`, known before the first request.
struct UploadPlan: Hashable, Sendable {
    /// The smallest file in bytes that is uploaded resumably. A smaller file is sent in a single plain request,
    /// because a repetition costs less than a request for the server's offset.
    static let smallestResumable: Int64 = 65536

    var request: RequestPlan
    var source: UploadSource
    /// The upload URL of an earlier attempt. `offset` is the number of bytes that the server had.
    var resume: UploadResume?
    var offset: Int64 = 0

    /// A Boolean value that indicates whether the upload uses a resumable protocol. The protocols use PATCH for
    /// their own requests, so an upload by PATCH is not resumable.
    var isResumable: Bool {
        source.resumption == .automatic && source.size >= Self.smallestResumable && source.method != .patch
    }
}
