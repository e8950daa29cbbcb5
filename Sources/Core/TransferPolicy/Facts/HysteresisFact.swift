// SPDX-License-Identifier: Apache-2.0

/// A fact of the machine with its own debounce and hysteresis times in ``Hysteresis``.
///
/// The roaming state belongs to the connection.
package enum HysteresisFact: Int, Hashable, Sendable, CaseIterable {
    /// The power source and the charge of the battery.
    case power
    /// The reachability of the network.
    case network
    /// The kind of link.
    case linkKind
    /// The price of the network.
    case metered
    /// The name of the connection, and its roaming state.
    case connection
}

extension Reason {
    /// The fact that is missing, or `nil` if the reason has no hysteresis and stops a transfer immediately.
    var hysteresisFact: HysteresisFact? {
        switch self {
        case .onBattery, .batteryLow, .powerUnknown: .power
        case .noNetwork, .captivePortal: .network
        case .networkKind: .linkKind
        case .metered: .metered
        case .connectionDenied: .connection
        default: nil  // The reason does not follow from a fact that oscillates.
        }
    }
}
