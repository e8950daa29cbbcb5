// SPDX-License-Identifier: Apache-2.0

/// The state of a shared daemon, as far as the caller may see it. An update contains only the changed properties.
package struct DaemonStatus: Hashable, Sendable, Codable {
    /// The version of the program: the number of the release.
    package var version: String?
    /// The first digits of the commit that the program was built from. Empty if the commit is unknown.
    package var commit: String?
    /// The process identifier of the daemon.
    package var processID: Int64?
    /// The policy for discretionary work, with its parameters.
    package var policy: String?
    /// The hold on all transfers. Empty if there is none.
    package var held: HoldStatus?
    /// The state of the machine. Empty before the first reading.
    package var conditions: ConditionsReport?
    /// The folder of the queue. Empty for sandboxed programs.
    package var stateDirectory: String?
    /// The loss, if the queue was found damaged at the start. Empty if nothing was lost.
    package var stateLost: LossReport?

    /// Creates an empty status without known or changed properties.
    package init() {}
}

/// A user's hold on all transfers.
package struct HoldStatus: Hashable, Sendable, Codable {
    /// The reason for the hold, for users, or `nil` if there is no hold.
    package var reason: String?
    /// The date on which the hold began.
    package var since: WallTime?
    /// The date on which the hold ends, or `nil` if the user must release it.
    package var until: WallTime?

    /// Creates a status without a hold.
    package init() {}

    /// Creates a status from the fact about the hold. The reason, which a user wrote, is left out for sandboxed
    /// programs.
    package init(_ fact: Fact<MachineHold?>, includingReason includesReason: Bool) {
        guard let hold = fact.value else { return }
        (reason, since, until) = (includesReason ? hold.why : "", fact.since.wall, hold.until)
    }
}

/// A report on the loss of a damaged queue.
package struct LossReport: Hashable, Sendable, Codable {
    /// The problem that was found, or `nil` if nothing was lost.
    package var reason: String?
    /// The path of the damaged file.
    package var file: String?
    /// The date of the backup that replaced the queue, or `nil` if the queue began empty.
    package var backup: WallTime?

    /// Creates a report without a loss.
    package init() {}

    /// Creates a report on a loss.
    package init(reason: String, file: String, backup: WallTime?) {
        (self.reason, self.file, self.backup) = (reason, file, backup)
    }
}

/// A request for a hold on all transfers.
package struct HoldRequest: Hashable, Sendable {
    /// The duration in seconds, or `nil` to hold until the user releases the hold.
    package var seconds: Int64?
    /// The reason for the hold, for users.
    package var reason: String

    /// Creates a request.
    package init(seconds: Int64?, reason: String) {
        self.seconds = seconds
        self.reason = reason
    }
}

/// The status of a budget for metered bytes.
package struct BudgetStatus: Hashable, Sendable, Codable {
    /// The owner of the budget: connection or app.
    package var scope: String
    /// The name of the connection or the app.
    package var name: String
    /// The limit in bytes per month.
    package var limit: Int64
    /// The bytes used since the last billing day.
    package var used: Int64
    /// The degree of use: below (less than 80 %), near, or over.
    package var state: String
    /// The next billing day.
    package var renewed: WallTime

    /// Creates a status.
    package init(scope: String, name: String, limit: Int64, used: Int64, state: String, renewed: WallTime) {
        (self.scope, self.name, self.limit, self.used) = (scope, name, limit, used)
        (self.state, self.renewed) = (state, renewed)
    }
}
