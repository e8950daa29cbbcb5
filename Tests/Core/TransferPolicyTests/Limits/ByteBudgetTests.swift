// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferPolicy

@Suite("ByteBudget")
struct ByteBudgetTests {
    /// 2026-11-21 12:00 UTC.
    private let now = WallTime(secondsSinceEpoch: 1_795_262_400)

    private func newBudget(
        _ limit: Int64, day: Int = 1, at date: WallTime? = nil, _ rules: LocalTimeRules = .utc
    ) throws -> ByteBudget {
        try ByteBudget(limit: limit, billingDay: day, at: date ?? now, localTime: rules)
    }

    private func date(_ days: Int64, _ seconds: Int64 = 0) -> WallTime {
        WallTime(secondsSinceEpoch: now.secondsSinceEpoch + days * 86_400 + seconds)
    }

    @Test("The states change at exact byte counts, also if five does not divide the limit")
    func states() throws {
        for (limit, near) in [(100, 80), (99, 80), (101, 81), (1, 1), (5, 4), (1_000_003, 800_003)] as [(Int64, Int64)]
        {
            for (used, expected) in [
                (near - 1, .below), (near, near == limit ? .exhausted : .near),
                (limit - 1, limit - 1 < near ? .below : .near),
                (limit, .exhausted), (limit + 1, .exhausted),
            ] as [(Int64, ByteBudget.State)] {
                var budget = try newBudget(limit)
                try budget.charge(used, at: now, localTime: .utc)
                #expect(budget.state(at: now, localTime: .utc) == expected, "\(used) of \(limit)")
                #expect(budget.remaining(at: now, localTime: .utc) == max(limit - used, 0))
            }
        }
    }

    @Test("A zero budget is exhausted from the start; 2^63 − 1 bytes do not overflow")
    func extremes() throws {
        #expect(try newBudget(0).state(at: now, localTime: .utc) == .exhausted)
        var huge = try newBudget(.max)
        #expect(huge.state(at: now, localTime: .utc) == .below)
        try huge.charge(.max - 1, at: now, localTime: .utc)
        #expect(huge.state(at: now, localTime: .utc) == .near)
        #expect(huge.remaining(at: now, localTime: .utc) == 1)
        for _ in 0..<3 { try huge.charge(.max, at: now, localTime: .utc) }
        #expect(huge.used(at: now, localTime: .utc) == .max)
        #expect(huge.state(at: now, localTime: .utc) == .exhausted)
    }

    @Test("Invalid numbers throw a typed error that names them and change nothing")
    func wrongInput() throws {
        #expect(throws: ByteBudgetError.negativeLimit(-1)) { try newBudget(-1) }
        for day in [0, -3, 32, .max, .min] {
            #expect(throws: ByteBudgetError.billingDayOutOfRange(day)) { try newBudget(5, day: day) }
        }
        var budget = try newBudget(100)
        let before = budget
        #expect(throws: ByteBudgetError.negativeBytes(.min)) { try budget.charge(.min, at: now, localTime: .utc) }
        #expect(throws: ByteBudgetError.negativeLimit(-2)) {
            try budget.change(limit: -2, billingDay: 1, at: now, localTime: .utc)
        }
        #expect(throws: ByteBudgetError.billingDayOutOfRange(40)) {
            try budget.change(limit: 2, billingDay: 40, at: now, localTime: .utc)
        }
        #expect(budget == before)
        #expect(ByteBudgetError.billingDayOutOfRange(40).description == "billing day must be from 1 to 31, not 40")
    }

    @Test("NaN, infinite, negative, and too large numbers from a settings file are rejected")
    func byteCounts() throws {
        for wrong in [.infinity, -.infinity, -1, -0.001, 9_223_372_036_854_775_808, 1e300] as [Double] {
            #expect(throws: ByteBudgetError.notAByteCount(wrong)) { try ByteBudget.byteCount(wrong) }
        }
        #expect(throws: ByteBudgetError.self) { try ByteBudget.byteCount(.nan) }
        #expect(throws: ByteBudgetError.self) { try ByteBudget.byteCount(.signalingNaN) }
        #expect(try ByteBudget.byteCount(1e9) == 1_000_000_000)
        #expect(try ByteBudget.byteCount(2.9) == 2)
        #expect(try ByteBudget.byteCount(-0.0) == 0)
        #expect(try ByteBudget.byteCount(9_223_372_036_854_774_784) == 9_223_372_036_854_774_784)
    }

    @Test("A period starts at local midnight of the billing day, to the nanosecond")
    func rollOver() throws {
        let berlin = LocalTimeRules(initialOffsetSeconds: 3600)
        var budget = try newBudget(100, day: 1, berlin)
        try budget.charge(70, at: now, localTime: berlin)
        // 2026-12-01 00:00 in Berlin is 2026-11-30 23:00 UTC.
        let midnight = date(9, 11 * 3600)
        #expect(budget.nextRollOver(after: now, localTime: berlin) == midnight)
        #expect(budget.used(at: midnight.advanced(by: .nanoseconds(-1)), localTime: berlin) == 70)
        #expect(budget.used(at: midnight, localTime: berlin) == 0)
        try budget.charge(5, at: midnight, localTime: berlin)
        #expect(budget.used(at: midnight, localTime: berlin) == 5)
        #expect(budget.nextRollOver(after: midnight, localTime: berlin) == midnight.advanced(by: .seconds(31 * 86_400)))
    }

    @Test("In a shorter month, the billing day is the last day")
    func shortMonths() throws {
        let january31 = date(71)
        let budget = try newBudget(100, day: 31, at: january31)
        // The rollovers are at 2027-02-28, 2027-03-31, and 2027-04-30.
        var reading = january31
        var gaps: [Int64] = []
        for _ in 0..<3 {
            let next = budget.nextRollOver(after: reading, localTime: .utc)
            gaps.append((next.secondsSinceEpoch - reading.secondsSinceEpoch + 43_200) / 86_400)
            reading = next
        }
        #expect(gaps == [28, 31, 30])
    }

    @Test("If the clocks skip midnight, the period starts with the change")
    func skippedMidnight() throws {
        // Clocks go from 00:00 to 01:00 on 2026-12-01.
        let change = date(9, 12 * 3600)
        let rules = LocalTimeRules(
            initialOffsetSeconds: 0, changes: [LocalTimeRules.Change(start: change, offsetSeconds: 3600)])
        let budget = try newBudget(100, day: 1, rules)
        #expect(budget.nextRollOver(after: now, localTime: rules) == change)
    }

    @Test("A wall clock that was years ahead refunds nothing after its correction")
    func clockAheadAndBack() throws {
        var budget = try newBudget(100)
        try budget.charge(60, at: now, localTime: .utc)
        let wrong = date(25_000)
        try budget.charge(10, at: wrong, localTime: .utc)
        #expect(budget.used(at: wrong, localTime: .utc) == 10)
        #expect(budget.used(at: now, localTime: .utc) == 70)
        try budget.charge(5, at: now, localTime: .utc)
        #expect(budget.used(at: now, localTime: .utc) == 75)
        #expect(budget.used(at: date(20), localTime: .utc) == 0, "the next billing day comes as ever")
    }

    @Test("A clock that goes back into an earlier month keeps the used bytes")
    func clockBack() throws {
        var budget = try newBudget(100)
        try budget.charge(60, at: now, localTime: .utc)
        try budget.charge(1, at: date(-60), localTime: .utc)
        #expect(budget.used(at: date(-60), localTime: .utc) == 61)
        #expect(budget.used(at: WallTime(nanosecondsSinceEpoch: .min), localTime: .utc) == 61)
        try budget.charge(1, at: WallTime(nanosecondsSinceEpoch: .max), localTime: .utc)
        #expect(
            budget.nextRollOver(after: WallTime(nanosecondsSinceEpoch: .max), localTime: .utc).secondsSinceEpoch > 0)
    }

    @Test("Changed settings keep the used bytes")
    func changedSettings() throws {
        var budget = try newBudget(100)
        try budget.charge(60, at: now, localTime: .utc)
        try budget.change(limit: 60, billingDay: 15, at: now, localTime: .utc)
        #expect(budget.state(at: now, localTime: .utc) == .exhausted)
        #expect(budget.used(at: date(23), localTime: .utc) == 60, "2026-12-14")
        #expect(budget.used(at: date(24), localTime: .utc) == 0, "2026-12-15")
    }

    @Test("A budget survives storage; damaged numbers are rejected")
    func coding() throws {
        var budget = try newBudget(100, day: 17)
        try budget.charge(60, at: now, localTime: .utc)
        try budget.charge(7, at: date(40), localTime: .utc)
        let data = try JSONEncoder().encode(budget)
        #expect(try JSONDecoder().decode(ByteBudget.self, from: data) == budget)
        let text = try #require(String(bytes: data, encoding: .utf8))
        let wrong: [(String, String, ByteBudgetError)] = [
            ("\"billingDay\":17", "\"billingDay\":0", .billingDayOutOfRange(0)),
            ("\"limit\":100", "\"limit\":-100", .negativeLimit(-100)),
            ("\"used\":7", "\"used\":-7", .negativeBytes(-7)), ("\"used\":60", "\"used\":-60", .negativeBytes(-60)),
        ]
        for (good, bad, error) in wrong {
            let damaged = text.replacingOccurrences(of: good, with: bad)
            #expect(damaged != text)
            #expect(throws: error) { try JSONDecoder().decode(ByteBudget.self, from: Data(damaged.utf8)) }
        }
    }

    @Test("Random runs over years agree with a model that records every charge", arguments: 1...12)
    func randomRuns(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let rules = Self.summerTime(offset: Int64.random(in: -12...13, using: &generator) * 3600)
        let day = Int.random(in: 1...31, using: &generator)
        let limit = Int64.random(in: 0...5000, using: &generator)
        var reading = now
        var budget = try newBudget(limit, day: day, rules)
        var charges: [(WallTime, Int64)] = []
        for step in 0..<1500 {
            reading = reading.advanced(by: .nanoseconds(Int64.random(in: 0...400_000_000_000_000, using: &generator)))
            // Often choose the exact start of a new period, or the nanosecond before.
            if generator.next() % 6 == 0 {
                reading = budget.nextRollOver(after: reading, localTime: rules)
                if generator.next() % 2 == 0 { reading = reading.advanced(by: .nanoseconds(-1)) }
            }
            let bytes = Int64.random(in: 0...300, using: &generator)
            charges.append((reading, bytes))
            try budget.charge(bytes, at: reading, localTime: rules)
            if generator.next() % 10 == 0 {
                budget = try JSONDecoder().decode(ByteBudget.self, from: JSONEncoder().encode(budget))
            }
            let start = Self.periodStart(of: reading, billingDay: Int64(day), rules)
            let used = charges.filter { Self.localDay($0.0, rules) >= start }.reduce(0) { $0 + $1.1 }
            let state: ByteBudget.State = used >= limit ? .exhausted : used * 5 >= limit * 4 ? .near : .below
            guard budget.used(at: reading, localTime: rules) == used,
                budget.state(at: reading, localTime: rules) == state
            else {
                Issue.record("seed \(seed), step \(step): \(budget) at \(reading), not \(used), \(state)")
                return
            }
            charges.removeAll { Self.localDay($0.0, rules) < start }
        }
    }

    /// Returns ten years of rules whose clocks change at the end of March and of October.
    private static func summerTime(offset: Int64) -> LocalTimeRules {
        var changes: [LocalTimeRules.Change] = []
        for year in 0..<10 as Range<Int64> {
            let march = 1_806_195_600 + year * 31_557_600
            changes.append(.init(start: WallTime(secondsSinceEpoch: march), offsetSeconds: offset + 3600))
            changes.append(.init(start: WallTime(secondsSinceEpoch: march + 18_748_800), offsetSeconds: offset))
        }
        return LocalTimeRules(initialOffsetSeconds: offset, changes: changes)
    }

    private static func localDay(_ date: WallTime, _ rules: LocalTimeRules) -> Int64 {
        Int64((Double(date.secondsSinceEpoch + rules.offsetSeconds(at: date)) / 86_400).rounded(.down))
    }

    /// Walks back day by day to the billing day, or to the last day of a month that lacks the billing day.
    private static func periodStart(of date: WallTime, billingDay: Int64, _ rules: LocalTimeRules) -> Int64 {
        var day = localDay(date, rules)
        while true {
            let isLast = CivilDate(daysSinceEpoch: day + 1).day == 1
            let number = CivilDate(daysSinceEpoch: day).day
            if number == billingDay || (isLast && number < billingDay) { return day }
            day -= 1
        }
    }
}
