// SPDX-License-Identifier: Apache-2.0

/// The windows of the local week in which a transfer may run.
///
/// ```swift
/// // Every Sunday from 02:00 to 06:00
/// let night = WindowConstraint(windows: [.init(start: 6 * 86_400 + 2 * 3600, end: 6 * 86_400 + 6 * 3600)])
/// ```
public struct WindowConstraint: Hashable, Sendable, Codable {
    /// A half-open range of seconds of the local week, counted from Monday 00:00.
    ///
    /// A window across the end of the week has an `end` above 604 800.
    ///
    /// ```swift
    /// let mondayMorning = WindowConstraint.Window(start: 6 * 3600, end: 9 * 3600)
    /// ```
    public struct Window: Hashable, Sendable, Codable {
        /// The second at which the window opens, 0…604 799.
        public var start: Int64
        /// The second at which the window closes, greater than `start`.
        public var end: Int64

        /// Creates a window.
        public init(start: Int64, end: Int64) {
            self.start = start
            self.end = end
        }
    }

    /// The windows, in the order in which they were given.
    public private(set) var windows: [Window]

    /// Creates a constraint from windows. Windows that are empty or open outside the week are left out.
    public init(windows: [Window]) {
        self.windows = windows.filter { (0..<604_800).contains($0.start) && $0.end > $0.start }
    }

    /// Decodes a stored constraint. Invalid windows are left out.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(windows: try container.decode([Window].self, forKey: .windows))
    }

    private enum CodingKeys: String, CodingKey { case windows }
}

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
