// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TransferModel

extension LocalTimeRules {
    /// Creates the rules of a time zone from `now` on, with its daylight saving changes of the next `years` years.
    ///
    /// Offsets before `now` are not looked up: the current offset stands for them.
    public init(current now: WallTime, zone: TimeZone = .current, years: Int = 3) {
        let start = Date(timeIntervalSince1970: Double(now.secondsSinceEpoch))
        let end = start.addingTimeInterval(Double(years) * 366 * 86_400)
        var changes: [Change] = []
        var date = start
        while let next = zone.nextDaylightSavingTimeTransition(after: date), next > date, next < end {
            let seconds = next.timeIntervalSince1970.rounded(.up)
            changes.append(
                Change(
                    start: WallTime(secondsSinceEpoch: Int64(seconds)),
                    offsetSeconds: Int64(zone.secondsFromGMT(for: next.addingTimeInterval(1)))))
            date = next
        }
        self.init(initialOffsetSeconds: Int64(zone.secondsFromGMT(for: start)), changes: changes)
    }
}
