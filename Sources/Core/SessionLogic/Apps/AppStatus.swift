// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The status of an app, for display.
package struct AppStatus: Hashable, Sendable {
    package var app: String
    package var sessions = 0
    package var isConnected = false
    package var isInFront = false
    package var waitingEvents = 0
    package var registration: AppRegistration?
    /// The executable of the program that registered the app's launch method.
    package var registeredBy: String?
    /// The number of launches since the host started. ``failures`` counts the unsuccessful ones.
    package var launches = 0
    package var failures = 0
    package var lastLaunch: WallTime?
    package var lastOutcome: LaunchOutcome?
}
