// SPDX-License-Identifier: Apache-2.0

/// A request for a hold on all transfers.
package struct HoldRequest: Hashable, Sendable {
    /// The duration in seconds, or `nil` to hold until the user releases the hold.
    package var seconds: Int64?
    /// The reason for the hold, for users.
    package var reason: String

    /// Creates a request.
    package init(seconds: Int64?, reason: String) {
        self.seconds = seconds
        self.reason = reason
    }
}
