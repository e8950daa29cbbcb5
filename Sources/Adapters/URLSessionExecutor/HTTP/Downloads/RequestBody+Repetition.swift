// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension RequestBody {
    /// Returns whether the request may be sent again after a response with a temporary status.
    ///
    /// After 500, 502, and 504, the server may have acted, and a repeated POST or PATCH acts again. The response is
    /// then the result of the download. The other temporary statuses promise that the server has not acted.
    func isRepeatable(after status: Int) -> Bool {
        method != "POST" && method != "PATCH" || ![500, 502, 504].contains(status)
    }
}
