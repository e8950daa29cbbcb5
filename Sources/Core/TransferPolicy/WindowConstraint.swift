// SPDX-License-Identifier: Apache-2.0

/// The windows of the local week in which a transfer may run.
public struct WindowConstraint: Hashable, Sendable, Codable {
    /// Seconds of the local week from Monday 00:00, half-open; a window across the week's end has `end` above 604 800.
    public struct Window: Hashable, Sendable, Codable {
        /// The second at which it opens, 0…604 799.
        public var start: Int64
        /// The second at which it is closed again, above `start`.
        public var end: Int64

        /// A window.
        public init(start: Int64, end: Int64) {
            self.start = start
            self.end = end
        }
    }

    /// The windows.
    public private(set) var windows: [Window]

    /// The windows; one without length, or that opens outside the week, is left out.
    public init(windows: [Window]) {
        self.windows = windows.filter { (0..<604_800).contains($0.start) && $0.end > $0.start }
    }

    /// Windows from their stored form, checked as any others.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(windows: try container.decode([Window].self, forKey: .windows))
    }

    private enum CodingKeys: String, CodingKey { case windows }

    /// Says whether a window is open, and when that changes.
    public func verdict(at now: Moment, localTime: LocalTimeRules) -> Verdict {
        if isOpen(atSecond: localTime.secondOfWeek(at: now.wall)) {
            let closes = next(after: now.wall, localTime: localTime, isOpen: false)
            return .run(relyingOn: [], lookAgain: closes.map(now.instant(of:)))
        }
        let opens = next(after: now.wall, localTime: localTime, isOpen: true)
        return .hold([Hold(.outsideWindow(opens: opens), since: now)], lookAgain: opens.map(now.instant(of:)))
    }

    private static let week: Int64 = 604_800

    private func isOpen(atSecond second: Int64) -> Bool {
        windows.contains { window in
            // The second of this week, and the same moment as part of the week before.
            (window.start <= second && second < window.end)
                || (second < window.end - Self.week && window.end > Self.week)
        }
    }

    /// The first moment after `date` at which the windows are open, or closed, as asked for; nil where there is none.
    ///
    /// That can only be where a window begins or ends, or where the clocks change: each of these is tried in turn, so
    /// windows that touch count as one, and a change of the clocks on the way is reckoned with.
    private func next(after date: WallTime, localTime: LocalTimeRules, isOpen wanted: Bool) -> WallTime? {
        var date = date
        // Within a week every edge has been tried; each change of the clocks on the way begins another week.
        var edgesLeft = 2 * windows.count + 1
        while edgesLeft > 0 {
            let second = localTime.secondOfWeek(at: date)
            let wait = windows.flatMap { [$0.start, $0.end % Self.week] }
                .map { $0 > second ? $0 - second : $0 - second + Self.week }.min()
            guard let wait else { return nil }
            let edge = WallTime(secondsSinceEpoch: date.secondsSinceEpoch.addingSaturating(wait))
            if let change = localTime.changes.first(where: { $0.start > date && $0.start <= edge }) {
                date = change.start
                edgesLeft = 2 * windows.count + 1
            } else {
                guard edge > date else { return nil }
                date = edge
                edgesLeft -= 1
            }
            if isOpen(atSecond: localTime.secondOfWeek(at: date)) == wanted { return date }
        }
        return nil
    }
}
