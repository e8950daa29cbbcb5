// SPDX-License-Identifier: Apache-2.0

/// The earliest date on which a transfer may begin.
///
/// ```swift
/// let tomorrow = NotBeforeConstraint(now.wall.advanced(by: .seconds(86_400)))
/// ```
public struct NotBeforeConstraint: Hashable, Sendable, Codable {
    /// The earliest start date.
    public var date: WallTime

    /// Creates a constraint with the given date.
    public init(_ date: WallTime) { self.date = date }
}
