// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// Starts programs for their sessions.
package protocol AppLauncher: Sendable {
    /// Starts an app, or calls it where it runs, to deal with a session's events. Returns when it has taken the call, or
    /// when it is clear that it does not.
    func launch(_ registration: AppRegistration, of app: String, for session: String) async -> LaunchOutcome
}

/// What became of an attempt to start an app.
package enum LaunchOutcome: Hashable, Sendable, Codable {
    /// It runs, or has taken the call. The process, where that is known.
    case started(process: Int32?)
    /// There is no such program, or nobody can start it.
    case missing(String)
    /// It ended before it took the call.
    case crashed(String)
    /// It was started and did not take the call in time.
    case silent(String)
}
