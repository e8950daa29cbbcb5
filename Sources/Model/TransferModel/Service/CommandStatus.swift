// SPDX-License-Identifier: Apache-2.0

/// The status of a command that a program runs under conditions: `transferctl run`.
package struct CommandStatus: Hashable, Sendable, Codable {
    /// The state of the command's processes.
    package enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// The command has not started, or waits to be started again.
        case waiting
        /// The command runs.
        case running
        /// The command is frozen until its conditions return.
        case frozen
        /// The command is being ended.
        case stopping
    }

    /// The number of the command, from 1, which a daemon assigns; 0 before that.
    package var id: Int64
    /// The first word of the command, without its folder.
    package var name: String
    /// The state of the command's processes.
    package var state: State
    /// The time of the latest start, or `nil` if there is none.
    package var deadline: WallTime?
    /// The reasons why the command waits or is frozen. Empty reasons while the command runs.
    package var explanation: WaitExplanation

    /// Creates the status of a command without a number and reasons.
    package init(name: String, state: State, deadline: WallTime? = nil) {
        (id, self.name, self.state, self.deadline) = (0, name, state, deadline)
        explanation = WaitExplanation(sentence: "")
    }

    /// The number as users write it, such as `c1`.
    package var reference: String { "c\(id)" }
}

/// A request of the user to start a command that waits.
package struct CommandStart: Hashable, Sendable {
    /// A Boolean value that indicates whether the command starts in spite of its own conditions, too.
    package var isUnconditional: Bool

    /// Creates a request.
    package init(isUnconditional: Bool) { self.isUnconditional = isUnconditional }
}

/// The verdict on a discretionary transfer without a deadline, for programs that transfer nothing themselves.
package struct DiscretionaryReport: Hashable, Sendable, Codable {
    /// A Boolean value that indicates whether the moment is good for discretionary work.
    package var discretionary: Bool
    /// The codes of the reasons to wait.
    package var reasons: [String]
    /// Whether the machine is on AC power: yes, no, or unknown.
    package var onAC: String
    /// Whether the network costs money: yes, no, or unknown.
    package var metered: String
    /// The date from which ``discretionary`` has had its value.
    package var since: WallTime

    /// Creates a report.
    package init(discretionary: Bool, reasons: [String], onAC: String, metered: String, since: WallTime) {
        (self.discretionary, self.reasons, self.since) = (discretionary, reasons, since)
        (self.onAC, self.metered) = (onAC, metered)
    }
}
