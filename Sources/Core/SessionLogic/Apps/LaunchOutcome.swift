// SPDX-License-Identifier: Apache-2.0

/// The result of an attempt to start an app.
package enum LaunchOutcome: Hashable, Sendable, Codable {
    /// The app runs, or has accepted the call. Carries the process, if it is known.
    case started(process: Int32?)
    /// The program does not exist or cannot be started.
    case missing(String)
    /// The program ended before it accepted the call.
    case crashed(String)
    /// The program was started and did not accept the call in time.
    case silent(String)
}
