// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// The end of a run in which at least one transfer did not succeed. The user knows the reasons already.
struct UnsuccessfulRun: Error {
    let status: ExitStatus
    /// The first transfer that failed, or `nil` if none did.
    let failure: TransferStatus?
}
