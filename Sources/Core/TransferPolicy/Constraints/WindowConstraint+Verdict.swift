// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension WindowConstraint {
    /// Returns permission to run while a window is open; otherwise, a wait. The re-evaluation is at the next opening or
    /// closing.
    public func verdict(at now: ClockReading, localTime: LocalTimeRules) -> Verdict {
        if isOpen(atSecond: localTime.secondOfWeek(at: now.wall)) {
            let closes = next(after: now.wall, localTime: localTime, isOpen: false)
            return .run(relyingOn: [], reevaluateAt: closes.map(now.instant(of:)))
        }
        let opens = next(after: now.wall, localTime: localTime, isOpen: true)
        return .wait([WaitReason(.outsideWindow(opens: opens), since: now)], reevaluateAt: opens.map(now.instant(of:)))
    }

    private static let week: Int64 = 604_800

    private func isOpen(atSecond second: Int64) -> Bool {
        windows.contains { window in
            // The second within this week, then the same second counted from the start of the previous week.
            (window.start <= second && second < window.end)
                || (second < window.end - Self.week && window.end > Self.week)
        }
    }

    /// Returns the first date after `date` at which a window is open, or at which all windows are closed.
    ///
    /// The state changes only at the edges of windows and when the clocks change, so the method tries these dates in
    /// turn. Adjacent windows therefore count as one, and clock changes on the way are taken into account.
    ///
    /// - Returns: `nil` if no such date exists.
    private func next(after date: WallTime, localTime: LocalTimeRules, isOpen wanted: Bool) -> WallTime? {
        var date = date
        // All edges occur within one week. Each clock change on the way begins another week.
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

extension NotBeforeConstraint {
    /// Returns permission to run if the earliest start date has come; otherwise, a wait until that date.
    public func verdict(at now: ClockReading, submitted: WallTime) -> Verdict {
        guard now.wall < date else { return .run(relyingOn: [], reevaluateAt: nil) }
        let since = ClockReading(instant: now.instant(of: submitted), wall: submitted)
        return .wait([WaitReason(.notBefore(date), since: since)], reevaluateAt: now.instant(of: date))
    }
}
