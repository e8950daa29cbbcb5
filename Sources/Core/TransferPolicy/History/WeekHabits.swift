// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// How much of each hour of the local week used to be good: the last eight weeks, hour by hour.
///
/// An hour counts once at least half of it was observed. Kept as plain samples, so that how fast they fade is the
/// asking policy's choice.
public struct WeekHabits: Hashable, Sendable, Codable {
    private struct Sample: Hashable, Sendable, Codable {
        /// The week's number.
        var week: Int64
        /// The share of the observed time that was good, in percent.
        var good: Int
    }

    private static let hoursOfWeek: Int64 = 168
    private static let kept = 8

    /// By the hour of the week.
    private var samples: [Int: [Sample]] = [:]
    private var current: ObservedHour?

    /// Nothing learned yet.
    public init() {}

    /// The chance that the hour in which `date` lies is good; nil where fewer than `samples` weeks tell of it.
    ///
    /// - Parameter decayWeeks: how fast old weeks fade: each counts 1 − 1/`decayWeeks` of the one after it.
    public func chance(
        at date: WallTime, localTime: LocalTimeRules, decayWeeks: Double, samples needed: Int
    ) -> Double? {
        let number = Self.hourNumber(at: date, localTime: localTime)
        let known = samples[Self.hourOfWeek(number)] ?? []
        guard known.count >= max(1, needed) else { return nil }
        let keep = decayWeeks > 1 ? 1 - 1 / decayWeeks : 0
        let newest = known.last?.week ?? 0
        var (good, total) = (0.0, 0.0)
        for sample in known {
            // What a store hands back may hold anything: far weeks weigh nothing.
            let age = newest.addingSaturating(sample.week.negatedSaturating)
            guard (0...104).contains(age) else { continue }
            let weight = (0..<age).reduce(1.0) { weight, _ in weight * keep }
            good += weight * Double(min(max(sample.good, 0), 100)) / 100
            total += weight
        }
        return total > 0 ? good / total : nil
    }

    /// The start of the next local hour, within a week, that is more likely good than not; nil while too little was learned.
    public func nextChance(
        after date: WallTime, localTime: LocalTimeRules, chance wanted: Double = 0.5, decayWeeks: Double = 4,
        samples: Int = 3
    ) -> WallTime? {
        var hour = date
        for _ in 0..<Self.hoursOfWeek {
            let next = Self.nextHour(after: hour, localTime: localTime)
            guard next > hour else { return nil }
            hour = next
            let known = chance(at: hour, localTime: localTime, decayWeeks: decayWeeks, samples: samples)
            if let known, known >= wanted { return hour }
        }
        return nil
    }

    /// The start of the local hour after the one in which `date` lies.
    static func nextHour(after date: WallTime, localTime: LocalTimeRules) -> WallTime {
        let local = date.secondsSinceEpoch.addingSaturating(localTime.offsetSeconds(at: date))
        let second = local % 3600
        return WallTime(
            secondsSinceEpoch: date.secondsSinceEpoch.addingSaturating(3600 - (second < 0 ? second + 3600 : second)))
    }

    /// So much time has gone by until `end`.
    mutating func add(_ elapsed: Duration, until end: WallTime, isGood: Bool, localTime: LocalTimeRules) {
        // Longer than what is kept is as good as that: a step an hour must stay a handful of steps.
        let span = min(elapsed.wholeNanoseconds, ObservedHour.length * Self.hoursOfWeek * Int64(Self.kept))
        var date = end.advanced(by: .nanoseconds(-span))
        while date < end {
            let next = min(Self.nextHour(after: date, localTime: localTime), end)
            guard next > date else { return }
            let over = ObservedHour.note(
                date.duration(to: next).wholeNanoseconds, isGood: isGood,
                hour: Self.hourNumber(at: date, localTime: localTime), in: &current)
            if let over { finish(over) }
            date = next
        }
    }

    private mutating func finish(_ hour: ObservedHour) {
        let sample = Sample(week: Self.week(hour.hour), good: Int(hour.share * 100))
        let index = Self.hourOfWeek(hour.hour)
        // A clock that went back shows a week again: the new word about it counts.
        // In place, so that an hour that goes by allocates nothing once every hour of the week is known.
        Self.add(sample, to: &samples[index, default: []])
    }

    private static func add(_ sample: Sample, to known: inout [Sample]) {
        known.removeAll { $0.week >= sample.week }
        known.append(sample)
        if known.count > kept { known.removeFirst(known.count - kept) }
    }

    /// Local hours since a Monday.
    private static func hourNumber(at date: WallTime, localTime: LocalTimeRules) -> Int64 {
        let second = date.secondsSinceEpoch.addingSaturating(localTime.offsetSeconds(at: date))
            .addingSaturating(3 * 86_400)
        let (quotient, remainder) = second.quotientAndRemainder(dividingBy: 3600)
        return remainder < 0 ? quotient - 1 : quotient
    }

    private static func hourOfWeek(_ number: Int64) -> Int {
        let remainder = number % hoursOfWeek
        return Int(remainder < 0 ? remainder + hoursOfWeek : remainder)
    }

    private static func week(_ number: Int64) -> Int64 {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: hoursOfWeek)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
