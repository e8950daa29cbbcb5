// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

// The rules of starts and stops, as plainly as possible and independent of the scheduler.

extension SchedulerModel {
    func isExpired(_ known: Known, at now: ClockReading) -> Bool {
        known.traits.expires.map { $0 <= now.wall } ?? false
    }

    /// Returns whether something other than conditions prevents a transfer from starting and from continuing.
    func isObstructed(_ known: Known, at now: ClockReading) -> Bool {
        if known.isHeld || known.needsApp { return true }
        let traits = known.traits
        guard traits.kind != .userInitiated, !traits.isLoopback, Unmet.isMetered(conditions) else { return false }
        let limiting = [conditions.connection.value.flatMap { budgets.connections[$0] }, budgets.apps[traits.app]]
        return limiting.compactMap(\.self).contains { budget in
            let used = budget.used(at: now.wall, localTime: conditions.localTime)
            return used >= budget.limit || (traits.kind == .discretionary && 5 * used >= 4 * budget.limit)
        }
    }

    /// Returns whether the policy decides about a transfer.
    func asksPolicy(_ traits: TransferTraits) -> Bool { traits.kind == .discretionary && !isImmediatePolicy }

    func isStaggered(_ traits: TransferTraits) -> Bool {
        traits.kind != .userInitiated && !traits.isLoopback
    }

    func isAskedToWait(_ traits: TransferTraits, at now: ClockReading) -> Bool {
        waitsOfHosts[traits.host].map { now.instant < $0 } ?? false
    }

    /// Returns the scope without a free slot, or `nil` if a transfer with these traits can get a slot.
    func fullScope(for traits: TransferTraits) -> String? {
        if running.count >= max(1, configuration.globalSlots) { return "machine" }
        if hosts[traits.host, default: 0] >= max(1, traits.slotsPerHost ?? configuration.slotsPerHost) { return "host" }
        if apps[traits.app, default: 0] >= max(1, configuration.slotsPerApp) { return "app" }
        guard let session = traits.session else { return nil }
        return sessions["\(traits.app)/\(session)", default: 0] >= max(1, configuration.slotsPerSession)
            ? "session" : nil
    }

    func hasReasonToStop(_ known: Known, at now: ClockReading) -> Bool {
        if known.isPaused || known.isCancelled || known.isExpiring || isObstructed(known, at: now) { return true }
        if configuration.isPreemptive || asksPolicy(known.traits) { return true }
        let unmet = Unmet(known.traits, conditions, at: now, isDefaultPolicy: false)
        if !unmet.isDisjoint(with: .immediate) { return true }
        return (0..<Unmet.hysteresisCount).contains { fact in
            guard unmet.contains(Unmet(rawValue: 1 << UInt8(fact))) else { return false }
            let since = min(known.missing[fact] ?? now.instant, Unmet.lastChange(of: fact, in: conditions))
            return since.duration(to: now.instant) >= Unmet.hysteresis(of: fact, configuration)
        }
    }

    /// Returns whether a transfer has all that it needs. If the policy decides, returns `false`.
    func mustRun(_ known: Known, at now: ClockReading) -> Bool {
        let traits = known.traits
        guard !known.isRunning, !known.isPaused, !known.isCancelled, !known.needsSpace, known.relaunchDelay == nil,
            (known.backoffEnd ?? now.instant) <= now.instant, !asksPolicy(traits), !isObstructed(known, at: now)
        else { return false }
        // A transfer of known size may be too large for the rest of its window.
        if traits.constraints.window != nil, known.total ?? traits.expectedBytesToReceive != nil { return false }
        if isStaggered(traits), staggeredStart.mayBeClosed(at: now.instant) { return false }
        return fullScope(for: traits) == nil && !isAskedToWait(traits, at: now)
            && Unmet(traits, conditions, at: now, isDefaultPolicy: false).isEmpty
            && Unmet.isDebounced(traits, conditions, at: now, configuration)
    }
}
