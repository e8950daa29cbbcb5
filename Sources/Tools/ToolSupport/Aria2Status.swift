// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The codes of aria2 for the outcomes of downloads: exit statuses of aria2c, and error codes of its JSON-RPC.
package enum Aria2Status {
    /// Returns the code of a failed download (aria2c(1), "EXIT STATUS").
    package static func code(of failure: TransferStatus?) -> Int32 {
        let statuses: [String: Int32] = [
            "timeout": 2, "expired": 2, "tooSlow": 5, "noProgress": 5, "connection": 6, "handshake": 6,
            "certificate": 6, "fileInUse": 11, "folderUnavailable": 16, "destination": 17, "nameResolution": 19,
            "malformedAnswer": 22, "encodedBody": 22, "captivePortal": 22, "redirect": 23, "proxyAuthentication": 24,
            "checksumMismatch": 32,
        ]
        switch (failure?.errorCode, failure?.status) {
        case ("status"?, 404?), ("status"?, 410?): return 3
        case ("status"?, 401?): return 24
        case ("status"?, _): return 22
        case (let code, _): return code.flatMap { statuses[$0] } ?? 1
        }
    }
}
