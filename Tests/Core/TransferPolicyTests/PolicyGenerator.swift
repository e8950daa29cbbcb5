// SPDX-License-Identifier: Apache-2.0

import TransferModel
import TransferPolicy

/// Generates policies, subjects, and contexts, both usual and unusual.
struct PolicyGenerator {
    var generator: SplitMix64
    /// A few histories to choose from, because a history takes long to generate.
    private var histories: [PolicyHistory] = []

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    mutating func roll(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    mutating func chance(_ percent: Int) -> Bool { roll(1...100) <= percent }
    mutating func pick<Value>(_ values: [Value]) -> Value { values[roll(0...values.count - 1)] }

    // MARK: Numbers

    /// Returns a number of bytes or a count: small, large, or at the ends of the range.
    private mutating func number() -> Int64 {
        switch roll(1...10) {
        case ...4: Int64(roll(0...1000))
        case ...7: Int64(roll(0...100_000_000_000))
        case 8: pick([0, 1, -1, .max, .min, .max - 1, .min + 1])
        default: Int64(bitPattern: generator.next())
        }
    }

    /// Returns a date, mostly within days of Monday.
    private mutating func date() -> WallTime {
        switch roll(1...10) {
        case ...6: Sample.monday.advanced(by: .seconds(roll(-40_000...40_000)))
        case ...8: Sample.monday.advanced(by: .milliseconds(roll(-1_000_000_000...1_000_000_000)))
        default: WallTime(nanosecondsSinceEpoch: number())
        }
    }

    private mutating func reading() -> ClockReading {
        let wall = date()
        return ClockReading(
            instant: chance(90)
                ? Instant(nanoseconds: Int64(roll(0...4_000_000_000_000_000))) : Instant(nanoseconds: number()),
            wall: wall)
    }

    private mutating func duration() -> Duration {
        chance(80) ? .seconds(roll(-10...1_000_000)) : pick([.nanoseconds(number()), .zero, .seconds(number())])
    }

    private mutating func real() -> Double {
        pick([
            .nan, .infinity, -.infinity, 0, -0.0, -1, 1, 0.5, 1e-300, 1e300, 1e18, Double(roll(-1000...1_000_000)),
            .greatestFiniteMagnitude, .leastNonzeroMagnitude,
        ])
    }

    // MARK: Policies

    /// Returns the name of a policy with some parameters from their ranges.
    mutating func name(of entry: PolicyCatalog.Entry) -> String {
        var name = entry.name
        for parameter in entry.parameters where chance(40) {
            let upper = min(parameter.range.upperBound, 1e15)
            let drawn = Double.random(in: parameter.range.lowerBound...upper, using: &generator)
            let value = chance(30) ? pick([parameter.range.lowerBound, parameter.range.upperBound]) : drawn
            name += ":\(parameter.key)=\(parameter.isWhole ? value.rounded() : value)"
        }
        return name
    }

    /// Returns policies with parameters that no catalog would accept.
    mutating func nonsense() -> [any Policy] {
        [
            HorizonPolicy(
                floor: duration(), factor: real(), metered: chance(50) ? duration() : nil,
                level: chance(50) ? Int(truncatingIfNeeded: number()) : nil, maximumWait: duration()),
            LadderPolicy(batteryShare: real(), meteredShare: real()),
            PricePolicy(pick(PricePolicy.Rule.allCases), horizon: duration()),
        ]
    }

    // MARK: Subjects

    mutating func subject() -> PolicySubject {
        var constraints = Constraints()
        if chance(60) { constraints.deadline = DeadlineConstraint(date()) }
        if chance(30) { constraints.notBefore = NotBeforeConstraint(date()) }
        if chance(20) {
            constraints.window = WindowConstraint(windows: [.init(start: number(), end: number())])
        }
        if chance(10) { constraints.price = PriceConstraint(below: real()) }
        constraints.patience = pick([nil, .relaxed, .balanced, .prompt])
        constraints.metered = pick([.unstated, .unstated, .allowed, .unmetered])
        let isRunning = chance(40)
        return PolicySubject(
            traits: TransferTraits(
                kind: pick(WorkKind.allCases), constraints: constraints, host: "h", app: pick(["", "a", "b"]),
                isLoopback: chance(10), submitted: date()),
            isRunning: isRunning, bytesDone: number(), bytesTotal: chance(70) ? number() : nil,
            rate: chance(50) ? number() : nil,
            start: isRunning && chance(80)
                ? .init(date: date(), bytesDone: number(), rate: chance(50) ? number() : nil) : nil)
    }

    // MARK: Contexts

    private mutating func conditions(at now: ClockReading) -> Conditions {
        var conditions = Sample.conditions()
        let since = chance(70) ? now.advanced(by: .seconds(-roll(0...100_000))) : reading()
        let isChange = chance(50)
        func fact<Value>(_ value: Value) -> Fact<Value> {
            Fact(value, source: .rule, since: since, isObservedChange: isChange)
        }
        conditions.power = fact(pick(PowerSource.allCases))
        conditions.battery = fact(BatteryState(level: chance(80) ? roll(-10...110) : nil))
        conditions.network = fact(pick(Reachability.allCases))
        conditions.linkKind = fact(pick(LinkKind.allCases))
        conditions.metered = fact(pick(Metered.allCases))
        conditions.connection = fact(pick(["home", nil]))
        conditions.sleep = fact(chance(90) ? .awake : .aboutToSleep)
        if chance(30) {
            conditions.localTime = LocalTimeRules(
                initialOffsetSeconds: Int64(roll(-50_000...50_000)),
                changes: [.init(start: date(), offsetSeconds: chance(90) ? 3600 : number())])
        }
        return conditions
    }

    private mutating func history(until now: ClockReading) -> PolicyHistory {
        var history = PolicyHistory()
        var reading = now.advanced(by: .seconds(-roll(0...2_000_000)))
        for _ in 0..<roll(0...12) {
            let conditions = conditions(at: reading)
            history.observe(.init(conditions, at: reading), localTime: conditions.localTime)
            reading = chance(95) ? reading.advanced(by: .seconds(roll(0...200_000))) : self.reading()
        }
        return history
    }

    mutating func context() -> PolicyContext {
        let now = reading()
        var context = PolicyContext(conditions: conditions(at: now), now: now)
        if histories.count < 60 { histories.append(history(until: now)) }
        if chance(60) { context.history = pick(histories) }
        if chance(3) { context.history.elapse(to: now, localTime: context.conditions.localTime) }
        if chance(20) {
            context.budgets.apps["a"] = try? ByteBudget(
                limit: number(), billingDay: roll(1...31), at: date(), localTime: .utc)
        }
        return context
    }
}
