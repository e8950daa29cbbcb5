// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// Starts programs for their sessions.
package protocol ProgramLauncher: Sendable {
    /// Starts an app, or calls it where it runs, to deal with a session's events. Returns when it has taken the call, or
    /// when it is clear that it does not.
    func launch(_ registration: AppRegistration, of app: String, for session: String) async -> LaunchOutcome
}
