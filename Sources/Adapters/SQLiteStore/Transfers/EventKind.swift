// SPDX-License-Identifier: Apache-2.0

/// The kinds of events. The raw values are stored in the database.
enum EventKind: Int64, CaseIterable, Sendable {
    case resume = 1
    case retry
    case suspended
    case hold
    case relaunchDelay

    /// The zero-based index of this kind.
    var index: Int { Int(rawValue) - 1 }

    /// The column of `progress` into which events of this kind are folded.
    var column: String {
        switch self {
        case .resume: "resume"
        case .retry: "retry"
        case .suspended: "is_suspended"
        case .hold: "hold"
        case .relaunchDelay: "relaunch_hold"
        }
    }
}
