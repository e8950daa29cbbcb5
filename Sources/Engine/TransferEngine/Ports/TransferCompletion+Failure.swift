// SPDX-License-Identifier: Apache-2.0

extension TransferCompletion {
    /// Whether it is not what was asked for: a 4xx or 5xx answer, or another that brought no file; of an upload any but 2xx
    /// and 303, which leads to a page about what was taken.
    public var isFailure: Bool {
        if answer != nil { return !(200..<300).contains(status) && status != 303 }
        return file == nil || status >= 400
    }
}
