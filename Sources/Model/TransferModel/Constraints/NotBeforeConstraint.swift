// SPDX-License-Identifier: Apache-2.0

/// The earliest date at which a transfer may begin.
public struct NotBeforeConstraint: Hashable, Sendable, Codable {
    /// The date.
    public var date: WallTime

    /// Not before `date`.
    public init(_ date: WallTime) { self.date = date }
}
