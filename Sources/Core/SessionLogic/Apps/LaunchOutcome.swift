// SPDX-License-Identifier: Apache-2.0

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
