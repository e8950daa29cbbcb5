// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

/// A machine and transfers for tests: Monday 2026-11-23 00:00:00 UTC, on AC, on unmetered ethernet.
enum Sample {
    static let monday = WallTime(secondsSinceEpoch: 1_795_392_000)
    static let now = Moment(instant: Instant(nanoseconds: 1_000_000_000_000), wall: monday)

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
        guard case .hold(let holds, _) = verdict else { return [] }
        return holds.map(\.reason.code)
    }

    static func lookAgain(_ verdict: Verdict) -> Duration? {
        switch verdict {
        case .run(_, let look), .hold(_, let look): look.map { now.instant.duration(to: $0) }
        }
    }
}
