// SPDX-License-Identifier: Apache-2.0

/// A filter for lists of transfers.
package struct TransferFilter: Hashable, Sendable, Codable {
    /// The session whose transfers are listed, or `nil` for all sessions.
    package var session: String?
    /// The app whose transfers are listed, or `nil` for all apps that the caller may access.
    package var app: String?
    /// The maximum number of ended transfers in the list, newest first. The default is 0.
    package var ended = 0
    /// The number of waiting transfers, in ascending order of their IDs, for which wait reasons are included. The
    /// default is 0.
    package var explainedLimit = 0
    /// A Boolean value that indicates whether the wait reasons of all waiting transfers are included.
    package var isExplained = false

    /// Creates a filter for all unfinished transfers.
    package init() {}
}
