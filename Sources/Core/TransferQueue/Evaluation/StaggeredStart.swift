// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// Starts that wait their turn after sleep or an outage, so that machines that come back together do not fall upon a
/// server together.
package enum StaggeredStart {
    /// Whether work of a kind starts so: whatever nobody waits for and needs the network.
    package static func applies(to kind: WorkKind, isLoopback: Bool) -> Bool {
        kind != .userInitiated && !isLoopback
    }
}
