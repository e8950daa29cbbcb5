// SPDX-License-Identifier: Apache-2.0

/// Which transfers are listed.
package struct TransferFilter: Hashable, Sendable, Codable {
    /// The session whose transfers are listed; nil lists those of all sessions.
    package var session: String?
    /// The app whose transfers are listed; nil lists those of all apps that the caller may reach.
    package var app: String?
    /// The number of ended transfers to list at most, newest first.
    package var ended = 0
    /// The number of unfinished transfers up to which each that waits says why.
    package var mostExplained = 0
    /// Whether each that waits says why, however many there are.
    package var isExplained = false

    /// All that are not over.
    package init() {}

    /// Whether those that wait say why, if so many transfers fit.
    package func explains(_ count: Int) -> Bool { isExplained || count <= mostExplained }
}
