// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that runs work off AC power only in short maintenance windows, with growing gaps between them.
///
/// On AC power, work always runs. The first window opens one gap after the machine was seen to leave AC power. Gaps
/// and windows double up to their maximums.
///
/// ```swift
/// WindowPolicy(gap: .seconds(1800))  // "window:gap=30" in the catalog
/// ```
///
/// Source: Android's Doze, read in `aosp-mirror/platform_frameworks_base`,
/// `services/core/java/com/android/server/DeviceIdleController.java` at commit 00185053: `IDLE_TIMEOUT` 60 min up to
/// `MAX_IDLE_TIMEOUT` 6 h, `IDLE_PENDING_TIMEOUT` 5 min up to `MAX_IDLE_PENDING_TIMEOUT` 10 min, both factors 2, each
/// doubled after use. Left out: the hour without motion before the first gap, motion itself, and windows that end
/// early because nothing is left to do.
public struct WindowPolicy: Policy, Hashable {
    /// The length of the first gap. The default is 60 min, the minimum 1 s.
    public var gap: Duration
    /// The maximum length of a gap. The default is 6 h.
    public var longestGap: Duration
    /// The length of the first window. The default is 5 min, the minimum 1 s.
    public var length: Duration
    /// The maximum length of a window. The default is 10 min.
    public var longestLength: Duration

    /// Creates a policy from its settings. The properties document their defaults.
    public init(
        gap: Duration = .seconds(3600), longestGap: Duration = .seconds(6 * 3600), length: Duration = .seconds(300),
        longestLength: Duration = .seconds(600)
    ) {
        self.gap = gap
        self.longestGap = longestGap
        self.length = length
        self.longestLength = longestLength
    }

    /// Returns permission to run on AC power or while a window is open; otherwise, a wait. Off AC power, the next
    /// opening or closing is the re-evaluation.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let power = context.conditions.power
        guard power.value != .ac else { return .run(relyingOn: .power, reevaluateAt: nil) }
        let (isOpen, change) = state(since: power.since.instant, at: context.now.instant)
        let reevaluation = context.reevaluation(at: change)
        if isOpen { return .run(relyingOn: [], reevaluateAt: reevaluation) }
        let wait = WaitReason(.outsideWindow(opens: reevaluation.map(context.now.wall(at:))), from: power)
        return .wait([wait], reevaluateAt: reevaluation)
    }

    /// Returns the state of the window at `now`, and the moment at which that state changes.
    private func state(since start: Instant, at now: Instant) -> (isOpen: Bool, change: Instant) {
        let second: Int64 = 1_000_000_000
        var (gap, length) = (max(gap.wholeNanoseconds, second), max(length.wholeNanoseconds, second))
        let (longestGap, longestLength) = (
            max(longestGap.wholeNanoseconds, gap), max(longestLength.wholeNanoseconds, length)
        )
        var elapsed = max(0, start.duration(to: now).wholeNanoseconds)
        // At most 63 doublings until both lengths reach their maximums.
        while gap < longestGap || length < longestLength, elapsed >= gap.addingSaturating(length) {
            elapsed -= gap.addingSaturating(length)
            gap = min(gap.multipliedSaturating(by: 2), longestGap)
            length = min(length.multipliedSaturating(by: 2), longestLength)
        }
        elapsed %= gap.addingSaturating(length)
        if elapsed < gap { return (false, now.advanced(by: .nanoseconds(gap - elapsed))) }
        return (true, now.advanced(by: .nanoseconds(gap.addingSaturating(length) - elapsed)))
    }

    static let entry = PolicyCatalog.Entry(
        name: "window", summary: "without AC power, only in maintenance windows with doubling gaps",
        parameters: [
            .init("gap", "first gap between windows", unit: "min", default: 60, in: 1...525_600),
            .init("maxgap", "maximum gap between windows", unit: "min", default: 360, in: 1...525_600),
            .init("open", "length of the first window", unit: "min", default: 5, in: 1...525_600),
            .init("maxopen", "maximum length of a window", unit: "min", default: 10, in: 1...525_600),
        ]
    ) {
        func minutes(_ value: Double) -> Duration { Duration(clampingSeconds: value * 60) }
        return WindowPolicy(
            gap: minutes($0["gap"]), longestGap: minutes($0["maxgap"]), length: minutes($0["open"]),
            longestLength: minutes($0["maxopen"]))
    }
}

/// A single relaxation phase. The policy state indicates whether a window is open.
extension WindowPolicy: PhasedPolicy {
    /// Returns one: all transfers are in the same phase.
    public func phaseCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Returns the only phase.
    public func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase { RelaxationPhase() }

    /// Returns permission to run while a window is open; otherwise, a wait.
    public func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        verdict(for: subject, in: context)
    }

    /// Returns state 1 while a window is open, with the moment of the next change. On AC power, the state is
    /// constant.
    public func stateKey(in context: PolicyContext) -> PolicyStateKey {
        let power = context.conditions.power
        guard power.value != .ac else { return PolicyStateKey() }
        let (isOpen, change) = state(since: power.since.instant, at: context.now.instant)
        return PolicyStateKey(isOpen ? 1 : 0, until: context.reevaluation(at: change))
    }
}
