// SPDX-License-Identifier: Apache-2.0

/// A fact of the machine with its own debounce and hysteresis times in ``Hysteresis``.
///
/// The roaming state belongs to the connection.
package enum HysteresisFact: Int, Hashable, Sendable, CaseIterable {
    case power
    case network
    case linkKind
    case metered
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
        case .notBefore, .outsideWindow, .debouncing, .waitingForSlot, .backoff, .storageLow, .suspended,
            .rateLimited,
            .budgetSpent, .held, .needsApp, .windowTooShort, .aboutToSleep, .aboutToShutDown:
            nil
        }
    }
}
