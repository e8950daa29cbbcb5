// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// Delayed starts after sleep or an outage. The delays keep machines that come back together from hitting a server at
/// the same time.
package enum StaggeringRule {
    /// Returns whether starts of a kind are staggered: all work that needs the network, except user-initiated work.
    package static func applies(to kind: WorkKind, isLoopback: Bool) -> Bool {
        kind != .userInitiated && !isLoopback
    }
}
