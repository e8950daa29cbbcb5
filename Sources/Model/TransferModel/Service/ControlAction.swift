// SPDX-License-Identifier: Apache-2.0

/// An action on transfers that are not over; the raw value is the D-Bus method.
package enum ControlAction: String, Hashable, Sendable, CaseIterable {
    /// Stops them, keeping their bytes, until they are resumed.
    case pause = "Pause"
    /// Lets them go on; ends the wait after a failure, too.
    case resume = "Resume"
    /// Ends them and removes what there is of them.
    case cancel = "Cancel"
    /// Starts them for a person: they wait for no policy, only for what they ask for themselves.
    case startNow = "StartNow"
}
