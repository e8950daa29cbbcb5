// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// A reason of a transfer's own that keeps it from its turn.
enum Obstruction {
    case none
    case until(Instant)
    case untilDate(WallTime)
    case indefinite

    static func of(_ traits: borrowing TransferTraits, at now: ClockReading) -> Obstruction {
        guard let date = traits.constraints.notBefore?.date, date > now.wall else { return .none }
        return .untilDate(date)
    }
}

extension TransferEntry {
    func obstruction(at now: ClockReading) -> Obstruction {
        var until: Instant?
        if !isOrdinary {
            guard held == nil, need == nil else { return .indefinite }
            until = relaunchDelay?.release
        }
        switch phase {
        case .paused, .running, .stopping, .waiting(.storage): return .indefinite
        case .waiting(.backoff(_, _, _, let end)): until = max(until ?? end, end)
        case .waiting(nil): break
        }
        if let until, until > now.instant { return .until(until) }
        return .of(traits, at: now)
    }
}
