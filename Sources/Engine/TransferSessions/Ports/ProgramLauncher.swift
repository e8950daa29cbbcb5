// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// A launcher of programs for their sessions.
package protocol ProgramLauncher: Sendable {
    /// Starts an app, or calls the running app, to handle a session's events. Returns after the app has accepted the
    /// call or has clearly failed to do so.
    func launch(_ registration: AppRegistration, of app: String, for session: String) async -> LaunchOutcome
}
