// SPDX-License-Identifier: Apache-2.0

/// The kinds of events. The numbers are in the database.
enum EventKind: Int64, CaseIterable, Sendable {
    case resume = 1
    case retry
    case suspended
    case hold
    case relaunchHold

    /// The kind's place among all of them.
    var index: Int { Int(rawValue) - 1 }

    /// The column that events of the kind are folded to.
    var column: String {
        switch self {
        case .resume: "resume"
        case .retry: "retry"
        case .suspended: "is_suspended"
        case .hold: "hold"
        case .relaunchHold: "relaunch_hold"
        }
    }
}
