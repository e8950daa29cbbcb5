// SPDX-License-Identifier: Apache-2.0

/// All there is to say of one transfer.
package struct TransferDetails: Hashable, Sendable, Codable {
    /// Its state.
    package var status: TransferStatus
    /// The folder that it goes to; nil once it is over.
    package var directory: String?
    /// What it asks for; nil once it is over.
    package var constraints: ConstraintChange?

    /// Details of a transfer that is over; of another one, `directory` and `constraints` follow.
    package init(_ status: TransferStatus) { self.status = status }
}
