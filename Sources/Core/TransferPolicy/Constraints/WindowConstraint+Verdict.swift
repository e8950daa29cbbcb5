// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension WindowConstraint {
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
