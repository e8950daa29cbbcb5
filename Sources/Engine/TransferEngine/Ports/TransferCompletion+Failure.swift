// SPDX-License-Identifier: Apache-2.0

extension TransferCompletion {
    /// A Boolean value that indicates whether the response is not the requested result.
    ///
    /// A download fails with a 4xx or 5xx status, or with any response that produced no file. An upload fails with any
    /// status except 2xx and 303. A 303 leads to a page about the accepted upload.
    public var isFailure: Bool {
        if answer != nil { return !(200..<300).contains(status) && status != 303 }
        return file == nil || status >= 400
    }
}
