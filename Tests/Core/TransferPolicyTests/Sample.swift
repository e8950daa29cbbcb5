// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy

/// A machine and transfers for tests: Monday, 2026-11-23 00:00:00 UTC, on AC, on unmetered Ethernet.
enum Sample {
    static let monday = WallTime(secondsSinceEpoch: 1_795_392_000)
    static let now = ClockReading(instant: Instant(nanoseconds: 1_000_000_000_000), wall: monday)

    static func conditions(_ change: (inout Conditions) -> Void = { _ in }) -> Conditions {
        var conditions = Conditions(unknownSince: now)
        conditions.power = Fact(.ac, source: .upower, since: now)
        conditions.battery = Fact(BatteryState(level: 80), source: .upower, since: now)
        conditions.network = Fact(.full, source: .kernel, since: now)
        conditions.linkKind = Fact(.ethernet, source: .kernel, since: now)
        conditions.metered = Fact(.no, source: .networkManager, since: now)
        change(&conditions)
        return conditions
    }

    static func codes(_ verdict: Verdict) -> [String] {
        guard case .wait(let reasons, _) = verdict else { return [] }
        return reasons.map(\.reason.code)
    }

    static func reevaluateAt(_ verdict: Verdict) -> Duration? {
        switch verdict {
        case .run(_, let reevaluation), .wait(_, let reevaluation): reevaluation.map { now.instant.duration(to: $0) }
        }
    }

    /// Returns a discretionary transfer that was submitted on Monday 00:00, with its deadline `deadline` seconds
    /// later.
    static func subject(
        deadline: Int64? = nil, total: Int64? = nil, done: Int64 = 0, rate: Int64? = nil, isRunning: Bool = false,
        app: String = "", change: (inout PolicySubject) -> Void = { _ in }
    ) -> PolicySubject {
        let constraints = Constraints(
            deadline: deadline.map { DeadlineConstraint(monday.advanced(by: .seconds($0))) })
        var subject = PolicySubject(
            traits: TransferTraits(
                kind: .discretionary, constraints: constraints, host: "h", app: app, submitted: monday),
            isRunning: isRunning, bytesDone: done, bytesTotal: total, rate: rate)
        change(&subject)
        return subject
    }

    /// Returns a machine `seconds` after Monday 00:00.
    static func context(
        _ power: PowerSource = .ac, _ metered: Metered = .no, at seconds: Double = 0,
        change: (inout PolicyContext) -> Void = { _ in }
    ) -> PolicyContext {
        let conditions = conditions {
            $0.power.value = power
            $0.metered.value = metered
        }
        var context = PolicyContext(conditions: conditions, now: now.advanced(by: .seconds(seconds)))
        change(&context)
        return context
    }

    /// Returns a verdict as text: `run` or the codes of the reasons, followed by the second of the re-evaluation.
    static func words(_ verdict: Verdict) -> String {
        let codes = codes(verdict).joined(separator: ",")
        let reevaluation = reevaluateAt(verdict).map { " @\(Double($0.wholeNanoseconds) / 1e9)" } ?? ""
        return (codes.isEmpty ? "run" : codes) + reevaluation
    }
}
