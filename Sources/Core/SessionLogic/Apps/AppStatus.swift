// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// An app, as people are shown it.
package struct AppStatus: Hashable, Sendable {
    package var app: String
    package var sessions = 0
    package var isConnected = false
    package var isInFront = false
    package var waitingEvents = 0
    package var registration: AppRegistration?
    /// The executable of the program that said how the app is started.
    package var registeredBy: String?
    /// Starts since this program began, and those that came to nothing.
    package var launches = 0
    package var failures = 0
    package var lastLaunch: WallTime?
    package var lastOutcome: LaunchOutcome?
}
