// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TransferModel
import TransferPolicy

/// Invalid input. Each kind causes a typed error or has a defined result, and none ends the process.
@Suite struct WrongInputTests {
    private func say(_ policy: some Policy, _ subject: PolicySubject, _ context: PolicyContext) -> String {
        Sample.words(policy.verdict(for: subject, in: context))
    }

    private static let ends: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]

    // MARK: Dates and clocks

    @Test("A deadline before the earliest start or the submission has passed from the start")
    func deadlineBeforeStart() {
        let early = DeadlineConstraint(Sample.monday.advanced(by: .seconds(100)))
        for notBefore in [100, 101, 1000] as [Int64] {
            let start = Sample.monday.advanced(by: .seconds(notBefore))
            #expect(early.elapsedShare(at: Sample.monday, submitted: Sample.monday, notBefore: start) == 1)
            #expect(early.date(atShare: 0.5, submitted: Sample.monday, notBefore: start) == start)
            let subject = Sample.subject(deadline: 100) {
                $0.traits.constraints.notBefore = NotBeforeConstraint(start)
            }
            #expect(say(HorizonPolicy(), subject, Sample.context(.battery, at: 100)) == "run")
        }
        let past = Sample.subject(deadline: -5)
        #expect(say(HorizonPolicy(), past, Sample.context(.battery)) == "run")
        #expect(say(HorizonPolicy(), past, Sample.context(.battery, .yes)) == "metered")
    }

    @Test("Extreme clocks, dates, and observations yield re-evaluations in the future")
    func clocks() throws {
        let policies = try PolicyCatalog.entries.map { try PolicyCatalog.policy(named: $0.name) }
        let ends: [Int64] = [.min, -1, 0, .max]
        for wall in ends {
            for instant in ends {
                for (observed, begun) in [(Int64.max, Int64.min), (0, 0), (.min, .max)] {
                    let context = context(wall: wall, instant: instant, observed: observed)
                    for (deadline, notBefore) in zip(ends + ends, ends.reversed() + ends) {
                        let subject = subject(deadline: deadline, notBefore: notBefore, submitted: begun)
                        for policy in policies { check(policy, subject, context) }
                    }
                }
            }
        }
    }

    private func context(wall: Int64, instant: Int64, observed: Int64) -> PolicyContext {
        let now = ClockReading(instant: Instant(nanoseconds: instant), wall: WallTime(nanosecondsSinceEpoch: wall))
        let then = ClockReading(
            instant: Instant(nanoseconds: observed), wall: WallTime(nanosecondsSinceEpoch: observed))
        let conditions = Sample.conditions {
            $0.power = Fact(.battery, source: .upower, since: then, isObservedChange: true)
            $0.metered = Fact(.yes, source: .networkManager, since: then, isObservedChange: true)
        }
        var context = PolicyContext(conditions: conditions, now: now)
        context.history.observe(.init(conditions, at: then), localTime: .utc)
        context.history.elapse(to: now, localTime: .utc)
        context.history.observe(.init(conditions, at: then), localTime: .utc)
        return context
    }

    private func subject(deadline: Int64, notBefore: Int64, submitted: Int64) -> PolicySubject {
        let constraints = Constraints(
            notBefore: NotBeforeConstraint(WallTime(nanosecondsSinceEpoch: notBefore)),
            deadline: DeadlineConstraint(WallTime(nanosecondsSinceEpoch: deadline)))
        return PolicySubject(
            traits: TransferTraits(
                kind: .discretionary, constraints: constraints, host: "", app: "a",
                submitted: WallTime(nanosecondsSinceEpoch: submitted)),
            bytesDone: submitted, bytesTotal: deadline, rate: notBefore)
    }

    private func check(_ policy: any Policy, _ subject: PolicySubject, _ context: PolicyContext) {
        let verdict = policy.verdict(for: subject, in: context)
        let reevaluation =
            switch verdict {
            case .run(_, let reevaluation), .wait(_, let reevaluation): reevaluation
            }
        if let reevaluation { #expect(reevaluation > context.now.instant, "\(policy)\n\(subject)\n\(context)") }
        if case .wait(let reasons, _) = verdict { #expect(!reasons.isEmpty) }
    }

    @Test("A wall clock at its ends has a second of the week, a time of day, and a date")
    func calendar() {
        for date in Self.ends.map(WallTime.init(nanosecondsSinceEpoch:)) {
            for offset in Self.ends {
                let rules = LocalTimeRules(
                    initialOffsetSeconds: offset, changes: [.init(start: date, offsetSeconds: offset)])
                #expect((0..<604_800).contains(rules.secondOfWeek(at: date)))
                #expect(!rules.dateAndTime(of: date).isEmpty)
                let window = WindowConstraint(windows: [.init(start: 604_799, end: .max), .init(start: 0, end: 1)])
                _ = window.verdict(at: ClockReading(instant: .distantFuture, wall: date), localTime: rules)
            }
        }
    }

    // MARK: Numbers

    @Test("NaN parameters require the strictest conditions")
    func notNumbers() {
        let dated = Sample.subject(deadline: 1000, total: 5000, rate: 10)
        let costly = Sample.context(.battery, .yes)
        for wrong in [Double.nan, .signalingNaN, -.nan] {
            #expect(
                say(LadderPolicy(batteryShare: wrong, meteredShare: wrong), dated, costly) == "onBattery,metered")
        }
        #expect(
            say(LadderPolicy(batteryShare: .infinity, meteredShare: -.infinity), dated, costly) == "onBattery,metered")
        #expect(say(LadderPolicy(batteryShare: -1, meteredShare: -1), dated, costly) == "run")
    }

    @Test("The remaining size is never negative")
    func sizes() {
        for total in Self.ends {
            for done in Self.ends {
                let subject = Sample.subject(deadline: 1000, total: total, done: done, rate: .max)
                #expect((subject.bytesRemaining ?? -1) >= 0)
            }
        }
        let traits = TransferTraits(
            kind: .normal, host: "", expectedBytesToReceive: -1, expectedBytesToSend: .min, submitted: Sample.monday)
        #expect(traits.expectedBytesToReceive == nil && traits.expectedBytesToSend == nil)
        #expect(throws: ByteBudgetError.notAByteCount(9_223_372_036_854_775_808)) {
            try ByteBudget.byteCount(9_223_372_036_854_775_808)
        }
    }

    @Test("Negative waits between attempts count as zero")
    func backoff() {
        var generator = SplitMix64(seed: 1)
        let negative = Backoff(
            first: .seconds(-5), longest: .seconds(-1), shortestRetryAfter: .seconds(-9),
            longestRetryAfter: .seconds(Int64.min))
        for attempt in [Int.min, -1, 0, 1, 41, .max] {
            #expect(negative.delay(attempt: attempt, retryAfter: nil, using: &generator) == .zero)
            #expect(negative.delay(attempt: attempt, retryAfter: .seconds(-3), using: &generator) == .zero)
        }
        #expect(negative.longestDelay == .zero)
    }

    // MARK: Stored values

    @Test("Traits are clamped to their ranges, whether created or decoded")
    func traits() throws {
        let made = TransferTraits(
            kind: .normal, priority: .max, host: "", app: "", maximumAttempts: .min, submitted: Sample.monday,
            session: "", slotsPerHost: 0, isFromBackground: true)
        #expect(made.priority == 1000 && made.maximumAttempts == 1 && made.slotsPerHost == 1)
        #expect(made.kind == .discretionary)
        let good = try #require(String(bytes: try JSONEncoder().encode(made), encoding: .utf8))
        let damage = [
            ("\"priority\":1000", "\"priority\":-7"), ("\"maximumAttempts\":1", "\"maximumAttempts\":-7"),
            ("\"slotsPerHost\":1", "\"slotsPerHost\":-7"), ("\"kind\":\"discretionary\"", "\"kind\":\"normal\""),
            ("\"host\":\"\"", "\"host\":\"\",\"expectedBytesToReceive\":-7"),
        ]
        let bad = damage.reduce(good) { text, change in
            #expect(text.contains(change.0))
            return text.replacingOccurrences(of: change.0, with: change.1)
        }
        var read = try JSONDecoder().decode(TransferTraits.self, from: Data(bad.utf8))
        #expect(read.priority == 0)
        read.priority = 1000
        #expect(read == made)
        #expect(try JSONDecoder().decode(TransferTraits.self, from: Data(good.utf8)) == made)
    }

    @Test("A decoded attempt count can be incremented without overflow")
    func retry() throws {
        for (stored, read) in [("-5", 0), ("\(Int.max)", 1_000_000), ("3", 3)] {
            let text =
                #"{"attempts":\#(stored),"cause":{"timeout":{}},"until":{"nanosecondsSinceEpoch":1},"mostBytes":-1}"#
            let state = try JSONDecoder().decode(RetryState.self, from: Data(text.utf8))
            #expect(state.attempts == read)
            #expect(state.mostBytes == 0)
        }
    }

    @Test("A damaged record of delayed tasks can be continued and explained")
    func limiter() throws {
        let held = #"{"relaunch":9,"untilRelease":5,"unfinished":\#(Int.max)}"#
        let text = """
            {"boot":"x","bootNanoseconds":0,"wall":{"nanosecondsSinceEpoch":0},"relaunches":2,"lastNumber":9,
            "sinceRelaunch":0,"expectsRelaunch":false,"cohorts":[\(held),\(held)]}
            """
        let record = try JSONDecoder().decode(RelaunchLimiter.Record.self, from: Data(text.utf8))
        let now = ClockReading(instant: .zero, wall: WallTime(nanosecondsSinceEpoch: 0))
        var limiter = RelaunchLimiter(record, at: now, boot: "x")
        #expect(limiter.taskStartedInBackground(at: .zero) == RelaunchLimiter.RelaunchDelay(relaunch: 9))
        #expect(limiter.explanation(at: .zero).waiting.count == 2)
        #expect(limiter.explanation(at: .distantFuture).begun > 0)
    }

    // MARK: Names

    @Test("Empty names are valid names; a missing connection is on no list")
    func emptyNames() {
        let empty = ConnectionConstraint(allowed: [""])
        #expect(Sample.codes(empty.verdict(under: Sample.conditions { $0.connection.value = "" })).isEmpty)
        #expect(Sample.codes(empty.verdict(under: Sample.conditions())) == ["connectionDenied"])
        #expect(Sample.codes(ConnectionConstraint(allowed: []).verdict(under: Sample.conditions())).count == 1)
        #expect(!LoopbackHost.contains(""))
        #expect(throws: AssumptionError.self) { try Assumptions(parsing: "") }
        #expect(throws: AssumptionError.self) { try Assumptions(parsing: "connection=") }
        for wrong in ["battery=101", "battery=-1", "battery=9223372036854775808", "battery=nan", "power=", "=ac", ","] {
            let error = #expect(throws: AssumptionError.self) { try Assumptions(parsing: wrong) }
            #expect(error?.allowed.isEmpty == false)
        }
    }
}
