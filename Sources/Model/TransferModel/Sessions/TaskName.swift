// SPDX-License-Identifier: Apache-2.0

/// The name under which an app finds a task and its file again.
package struct TaskName: Hashable, Sendable, Codable {
    /// The maximum length of an identifier, in bytes.
    package static let longestID = 1000

    /// The identifier that the app chose, unique within the session, 1 to ``longestID`` bytes.
    package var id: String
    /// A digest of the request. It distinguishes requests after the task has ended and its secrets are removed.
    package var fingerprint: String

    package init(id: String, fingerprint: String) {
        self.id = id
        self.fingerprint = fingerprint
    }
}

/// The conditions that an app sets for a single task, in addition to the conditions of its session.
package struct TaskConditions: Hashable, Sendable, Codable {
    /// Whether the policy for discretionary work decides when the task runs. `nil` means the session's setting.
    package var isDiscretionary: Bool?
    /// The constraints that differ from the defaults.
    package var constraints = ConstraintChange()

    package init() {}

    /// The size in bytes of the parts whose length the app controls.
    package var bookkeepingBytes: Int {
        let names = (constraints.connectionsAllowed ?? []).union(constraints.connectionsDenied ?? [])
        return names.reduce((constraints.windows?.count ?? 0) * 16) { $0 + $1.utf8.count }
            + (constraints.linkKinds?.count ?? 0)
    }
}
