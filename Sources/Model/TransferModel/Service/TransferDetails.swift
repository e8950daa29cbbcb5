// SPDX-License-Identifier: Apache-2.0

/// The details of a transfer.
package struct TransferDetails: Hashable, Sendable, Codable {
    /// The status of the transfer.
    package var status: TransferStatus
    /// The destination folder, or `nil` after the transfer has ended.
    package var directory: String?
    /// The constraints of the transfer, or `nil` after the transfer has ended.
    package var constraints: ConstraintChange?

    /// The transfer's own policy, or `nil` if the daemon's policy decides or the transfer has ended.
    package var policy: String?
    /// The program that the daemon starts after the transfer, and its arguments, or `nil` for none.
    package var onComplete: [String]?

    /// Creates the details of an ended transfer. For an unfinished transfer, the caller then sets `directory` and
    /// `constraints`.
    package init(_ status: TransferStatus) { self.status = status }
}
