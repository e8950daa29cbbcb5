// SPDX-License-Identifier: Apache-2.0

/// An action on unfinished transfers. The raw value is the name of the D-Bus method.
package enum ControlAction: String, Hashable, Sendable, CaseIterable {
    /// Stops the transfers until they are resumed. Their bytes are kept.
    case pause = "Pause"
    /// Lets the transfers continue. Also ends the wait after a failure.
    case resume = "Resume"
    /// Ends the transfers and removes their bytes.
    case cancel = "Cancel"
    /// Starts the transfers for a user. They wait only for their own constraints, not for the policy.
    case startNow = "StartNow"
}
