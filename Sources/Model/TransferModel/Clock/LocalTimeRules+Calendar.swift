// SPDX-License-Identifier: Apache-2.0

extension LocalTimeRules {
    /// Returns the local day at `date`.
    package func civilDate(at date: WallTime) -> CivilDate {
        let local = date.secondsSinceEpoch.addingSaturating(offsetSeconds(at: date))
        let (days, remainder) = local.quotientAndRemainder(dividingBy: 86_400)
        return CivilDate(daysSinceEpoch: remainder < 0 ? days - 1 : days)
    }

    /// Returns the first moment from `date` on at which the local clock shows `day` or a later day.
    ///
    /// If a change of the clocks skips that midnight, the result is the moment of the change.
    package func start(of day: CivilDate, notBefore date: WallTime) -> WallTime {
        let midnight = day.daysSinceEpoch.multipliedSaturating(by: 86_400)
        var segment = (start: WallTime(nanosecondsSinceEpoch: .min), offset: initialOffsetSeconds)
        for change in changes {
            let begins = begin(of: midnight, in: segment, notBefore: date)
            if begins < change.start { return begins }
            segment = (change.start, change.offsetSeconds)
        }
        return begin(of: midnight, in: segment, notBefore: date)
    }

    private func begin(
        of midnight: Int64, in segment: (start: WallTime, offset: Int64), notBefore date: WallTime
    ) -> WallTime {
        let begins = WallTime(secondsSinceEpoch: midnight.addingSaturating(segment.offset.negatedSaturating))
        return max(begins, segment.start, date)
    }
}
