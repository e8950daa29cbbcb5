// SPDX-License-Identifier: Apache-2.0

/// A hold that somebody asks for.
package struct HoldRequest: Hashable, Sendable {
    /// The duration in seconds; nil holds until somebody releases.
    package var seconds: Int64?
    /// Why, for people.
    package var reason: String

    /// A hold.
    package init(seconds: Int64?, reason: String) {
        self.seconds = seconds
        self.reason = reason
    }
}
