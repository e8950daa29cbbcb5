// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The share of each hour of the local week that is usually good for transfers, learned from the last eight weeks.
///
/// An hour counts only if the history observed at least half of it. The history stores plain samples, so that each
/// policy can choose how fast old weeks fade.
public struct WeekHabits: Hashable, Sendable, Codable {
    private struct Sample: Hashable, Sendable, Codable {
        /// The number of the week.
        var week: Int64
        /// The good share of the observed time, in percent.
        var good: Int
    }

    private static let hoursOfWeek: Int64 = 168
    private static let kept = 8

    /// The samples by hour of the week, oldest first.
    private var samples: [Int: [Sample]] = [:]
    private var current: ObservedHour?

    /// Creates an empty history.
    public init() {}

    /// Returns the probability that the local hour of `date` is good, or `nil` if fewer than `samples` weeks are
    /// known.
    ///
    /// - Parameters:
    ///   - date: A time in the hour.
    ///   - localTime: The rules of the local time zone.
    ///   - decayWeeks: The speed at which old weeks fade. Each week weighs 1 − 1/`decayWeeks` of the week after it.
    ///   - needed: The number of weeks that must be known, at least 1.
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
            // Stored data can contain anything, so samples far from the newest week have no weight.
            let age = newest.addingSaturating(sample.week.negatedSaturating)
            guard (0...104).contains(age) else { continue }
            let weight = (0..<age).reduce(1.0) { weight, _ in weight * keep }
            good += weight * Double(min(max(sample.good, 0), 100)) / 100
            total += weight
        }
        return total > 0 ? good / total : nil
    }

    /// Returns the start of the next local hour that is good with at least probability `chance`.
    ///
    /// - Returns: `nil` if no hour within a week qualifies or too few weeks are known.
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

    /// Returns the start of the local hour after the hour of `date`.
    static func nextHour(after date: WallTime, localTime: LocalTimeRules) -> WallTime {
        let local = date.secondsSinceEpoch.addingSaturating(localTime.offsetSeconds(at: date))
        let second = local % 3600
        return WallTime(
            secondsSinceEpoch: date.secondsSinceEpoch.addingSaturating(3600 - (second < 0 ? second + 3600 : second)))
    }

    /// Records `elapsed` nanoseconds that ended at `end`.
    mutating func add(_ elapsed: Int64, until end: WallTime, isGood: Bool, localTime: LocalTimeRules) {
        // Anything beyond the kept weeks is cut off. The loop takes one step per hour, so its length must be bounded.
        let span = min(elapsed, ObservedHour.length * Self.hoursOfWeek * Int64(Self.kept))
        var date = WallTime(nanosecondsSinceEpoch: end.nanosecondsSinceEpoch.addingSaturating(-span))
        while date < end {
            let next = min(Self.nextHour(after: date, localTime: localTime), end)
            guard next > date else { return }
            let ended = ObservedHour.record(
                next.nanosecondsSinceEpoch.addingSaturating(date.nanosecondsSinceEpoch.negatedSaturating),
                isGood: isGood, hour: Self.hourNumber(at: date, localTime: localTime), in: &current)
            if let ended { finish(ended) }
            date = next
        }
    }

    private mutating func finish(_ hour: ObservedHour) {
        let sample = Sample(week: Self.week(hour.hour), good: Int(hour.share * 100))
        let index = Self.hourOfWeek(hour.hour)
        // If the clock went back, a week appears again, and the new sample replaces the old one. The update is in
        // place: once every hour of the week is known, a further hour allocates nothing.
        Self.add(sample, to: &samples[index, default: []])
    }

    private static func add(_ sample: Sample, to known: inout [Sample]) {
        known.removeAll { $0.week >= sample.week }
        known.append(sample)
        if known.count > kept { known.removeFirst(known.count - kept) }
    }

    /// Returns the number of local hours since a Monday.
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

/// The observed time of one hour, and the part of it that was good for transfers.
struct ObservedHour: Hashable, Sendable, Codable {
    /// The length of an hour, in nanoseconds.
    static let length: Int64 = 3_600_000_000_000

    /// The number of the hour. Each history numbers hours in its own way.
    private(set) var hour: Int64
    private var observed: Int64 = 0
    private var good: Int64 = 0

    private init(hour: Int64) { self.hour = hour }

    /// The good part of the observed time, 0…1. The value is clamped because stored data can contain anything.
    var share: Double { min(1, max(0, Double(good) / Double(observed))) }

    /// Adds time to the current hour, or begins a new hour.
    ///
    /// - Returns: The hour that ended, if at least half of it was observed; otherwise `nil`, because too little is
    ///   known.
    static func record(
        _ nanoseconds: Int64, isGood: Bool, hour: Int64, in current: inout ObservedHour?
    ) -> ObservedHour? {
        let former = current.flatMap { $0.hour == hour ? nil : $0 }
        var now = former == nil ? current ?? ObservedHour(hour: hour) : ObservedHour(hour: hour)
        now.observed = now.observed.addingSaturating(nanoseconds)
        if isGood { now.good = now.good.addingSaturating(nanoseconds) }
        current = now
        return former.flatMap { $0.observed >= length / 2 ? $0 : nil }
    }
}
