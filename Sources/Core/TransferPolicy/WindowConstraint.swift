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
    public var windows: [Window]

    /// The windows; one without length, or that opens outside the week, is left out.
    public init(windows: [Window]) {
        self.windows = windows.filter { (0..<604_800).contains($0.start) && $0.end > $0.start }
    }

    /// Says whether a window is open, and when that changes.
    public func verdict(at now: Moment, localTime: LocalTimeRules) -> Verdict {
        if let closes = closing(at: now.wall, localTime: localTime) {
            return .run(relyingOn: [], lookAgain: now.instant(of: closes))
        }
        let opens = opening(after: now.wall, localTime: localTime)
        return .hold([Hold(.outsideWindow(opens: opens), since: now)], lookAgain: opens.map(now.instant(of:)))
    }

    /// When the window that is open at `date` closes; nil where none is open.
    private func closing(at date: WallTime, localTime: LocalTimeRules) -> WallTime? {
        let second = localTime.secondOfWeek(at: date)
        let left = windows.compactMap { window -> Int64? in
            // Second of this week, and the same moment as part of the week before.
            for moment in [second, second + 604_800] where (window.start..<window.end).contains(moment) {
                return window.end - moment
            }
            return nil
        }.max()
        guard let left else { return nil }
        return nextWholeSecond(date, adding: left, localTime: localTime)
    }

    /// When the next window opens after `date`; nil where there is none.
    private func opening(after date: WallTime, localTime: LocalTimeRules) -> WallTime? {
        let second = localTime.secondOfWeek(at: date)
        let wait = windows.map { window in
            window.start > second ? window.start - second : window.start - second + 604_800
        }.min()
        guard let wait else { return nil }
        return nextWholeSecond(date, adding: wait, localTime: localTime)
    }

    /// `seconds` of local time after `date`'s second. Where the clocks change before then, the moment of that change
    /// is given instead: the look there finds the rest with the new offset, so no window is missed or entered early.
    private func nextWholeSecond(_ date: WallTime, adding seconds: Int64, localTime: LocalTimeRules) -> WallTime {
        let target = WallTime(secondsSinceEpoch: date.secondsSinceEpoch.addingSaturating(seconds))
        let change = localTime.changes.first { $0.start > date && $0.start <= target }
        return change?.start ?? target
    }
}
