// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The input of `DownloadStateMachine`, known before the first request.
struct DownloadPlan: Hashable, Sendable {
    var request: RequestPlan
    /// The method and the body if the method is not GET. `nil` for GET. A request with a body has no range.
    var body: RequestBody?
    var keepsErrorBody = false
    var maximumBytes: Int64?
    /// A Boolean value that indicates whether an encoded body arrives as the server sent it. If so, its length can be
    /// checked.
    var deliversEncodedBodies = true
    /// The number of bytes at the start of the partial file. `total` and `validator` describe the file to which these
    /// bytes belong.
    var offset: Int64 = 0
    var total: Int64?
    var validator: Validator?
    /// The bytes of the partial file beyond `offset`, in order.
    var extents: [Range<Int64>] = []
    /// A Boolean value that indicates whether a checksum proves that continued bytes belong to one file.
    var hasChecksum = false
    /// The maximum number of concurrent requests for pieces of the file.
    var connections = 1
    /// The size and version of a file that an earlier run finished.
    var completedBefore: CompletedFile?

    /// The header fields that request only a version other than the version of the finished file.
    var condition: [HeaderField] {
        let validator = completedBefore?.validator
        if let tag = validator?.entityTag { return [HeaderField(name: "If-None-Match", value: tag)] }
        if let date = validator?.lastModified { return [HeaderField(name: "If-Modified-Since", value: date)] }
        return []
    }
}

extension RequestBody {
    /// Returns whether the request may be sent again after a response with a temporary status.
    ///
    /// After 500, 502, and 504, the server may have acted, and a repeated POST or PATCH acts again. The response is
    /// then the result of the download. The other temporary statuses promise that the server has not acted.
    func isRepeatable(after status: Int) -> Bool {
        method != "POST" && method != "PATCH" || ![500, 502, 504].contains(status)
    }
}
