// SPDX-License-Identifier: Apache-2.0

/// The result of an attempt to start an app.
package enum LaunchOutcome: Hashable, Sendable, Codable {
    /// The app runs, or has taken the call. Carries the process, if it is known.
    case started(process: Int32?)
    /// There is no such program, or nobody can start the program.
    case missing(String)
    /// The program ended before it took the call.
    case crashed(String)
    /// The program was started and did not take the call in time.
    case silent(String)
}
