// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What the deciding code needs to know of a download before its first request.
struct DownloadPlan: Hashable, Sendable {
    var request: RequestPlan
    /// How much the first request asks for.
    var firstRequestBytes: Int64 = 65536
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

    /// Asks only for a version other than that of the finished file.
    var condition: [HeaderField] {
        let validator = completedBefore?.validator
        if let tag = validator?.entityTag { return [HeaderField(name: "If-None-Match", value: tag)] }
        if let date = validator?.lastModified { return [HeaderField(name: "If-Modified-Since", value: date)] }
        return []
    }
}
