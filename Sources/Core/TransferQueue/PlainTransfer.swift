// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// A transfer that runs as the queue handed it out: with no bytes, no failure and nothing else of its own yet, and which
/// time alone does not stop.
package protocol PlainTransfer: Sendable {
    var kind: WorkKind { get }
    /// Whether its server is on this machine.
    var isLoopback: Bool { get }
    /// The size that is expected; nil if it is unknown.
    var bytesRemaining: Int64? { get }
    var deadline: WallTime? { get }
}
