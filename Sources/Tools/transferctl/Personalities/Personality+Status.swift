// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferModel

/// The exit statuses of the imitated programs, as their manual pages define them.
extension Personality {
    /// Returns the status for wrong usage.
    var usageStatus: Int32 {
        switch self {
        case .aria2c: 28
        case .xfercommand: 1
        case .curl: 2
        }
    }

    /// Returns the imitated program's status for a status of `get`.
    ///
    /// - Parameters:
    ///   - status: The status of `get`.
    ///   - failure: The first failed transfer, if there is one.
    func status(for status: Int32, failure: TransferStatus?) -> Int32 {
        switch status {
        case ExitStatus.done.rawValue: 0
        case ExitStatus.usage.rawValue: usageStatus
        case ExitStatus.interrupted.rawValue, ExitStatus.terminated.rawValue:
            // aria2c reports unfinished downloads; the others end by the signal.
            self == .aria2c ? 7 : status
        default:
            switch self {
            case .aria2c: Aria2Status.code(of: failure)
            case .curl: Self.curlStatus(failure)
            case .xfercommand: 1
            }
        }
    }

    /// curl(1), "EXIT CODES".
    private static func curlStatus(_ failure: TransferStatus?) -> Int32 {
        let statuses: [String: Int32] = [
            "unsupportedURL": 1, "nameResolution": 6, "connection": 7, "malformedAnswer": 8, "status": 22,
            "captivePortal": 22, "destination": 23, "folderUnavailable": 23, "fileInUse": 23, "timeout": 28,
            "tooSlow": 28, "noProgress": 28, "expired": 28, "handshake": 35, "redirect": 47, "certificate": 60,
            "encodedBody": 61, "tooLarge": 63,
        ]
        // 56: failure in receiving network data.
        return failure?.errorCode.flatMap { statuses[$0] } ?? 56
    }
}
