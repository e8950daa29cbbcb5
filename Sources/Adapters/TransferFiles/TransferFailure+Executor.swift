// SPDX-License-Identifier: Apache-2.0
package import TransferModel

extension TransferFailure {
    /// Returns the failure of a transfer that was started twice.
    package static func alreadyRunning(_ id: TransferID) -> TransferFailure {
        let message = "Transfer \(id) was started while an earlier attempt of it was still running."
        return TransferFailure(cause: .executorLost, message: message)
    }
}
