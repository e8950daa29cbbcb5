// SPDX-License-Identifier: Apache-2.0

/// The state of a service that many share, as one caller may see it; in an update, what has changed of it.
package struct DaemonStatus: Hashable, Sendable, Codable {
    /// The version of the program.
    package var version: String?
    /// Its process id.
    package var processID: Int64?
    /// The policy that decides about discretionary work, with its parameters.
    package var policy: String?
    /// The hold on everything; empty where there is none.
    package var held: HoldStatus?
    /// What the machine is like; empty before the first look.
    package var conditions: ConditionsReport?
    /// The folder of the queue; empty for programs in sandboxes.
    package var stateDirectory: String?
    /// What was lost where the queue was found to be damaged at the start; empty where nothing was.
    package var stateLost: LossReport?

    /// Nothing known, or nothing changed.
    package init() {}
}

/// A person's hold on everything.
package struct HoldStatus: Hashable, Sendable, Codable {
    /// Why, for people; nil where nothing is held.
    package var reason: String?
    /// Since when.
    package var since: WallTime?
    /// When it ends by itself; nil where somebody has to release it.
    package var until: WallTime?

    /// No hold.
    package init() {}

    /// A hold; its reason, which a person wrote, is not for programs in sandboxes.
    package init(_ fact: Fact<MachineHold?>, tellingReason isTold: Bool) {
        guard let hold = fact.value else { return }
        (reason, since, until) = (isTold ? hold.why : "", fact.since.wall, hold.until)
    }
}

/// What was lost of a queue.
package struct LossReport: Hashable, Sendable, Codable {
    /// What was wrong; nil where nothing was lost.
    package var reason: String?
    /// The place of the damaged file.
    package var file: String?
    /// When the backup was made that took its place; nil where the queue began empty.
    package var backup: WallTime?

    /// No loss.
    package init() {}

    /// A loss.
    package init(reason: String, file: String, backup: WallTime?) {
        (self.reason, self.file, self.backup) = (reason, file, backup)
    }
}
