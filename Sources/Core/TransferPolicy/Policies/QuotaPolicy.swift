// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A policy that limits each app's running time per rolling window while the machine is off AC power.
///
/// The window grows with the time since the user last used the app. An app used within 12 hours has no limit. An app
/// used within 24 hours has the short window, and an app used within 48 hours has the medium window. All other apps
/// have the long window, including apps without a known use. An app's own state decides, so this policy is not a
/// ``PhasedPolicy``.
///
/// ```swift
/// QuotaPolicy(limit: .seconds(1200))  // "quota:minutes=20" in the catalog
/// ```
///
/// Source, read in `aosp-mirror/platform_frameworks_base`: Android 10's
/// `services/core/java/com/android/server/job/controllers/QuotaController.java` at 045fb572 (10 min per 2, 8 and 24
/// h; 30 s before an app out of quota is in it again; free while charging), and
/// `services/usage/java/com/android/server/usage/AppStandbyController.java` at 06ea0432 (`ELAPSED_TIME_THRESHOLDS`
/// 12, 24 and 48 h). developer.android.com, "Power management resource limits", has the same windows.
///
/// Differences from the source:
/// - Left out: the maximum of 4 h within 24 h, the limits on jobs and sessions, and the bucket of restricted apps.
/// - Left out: the time for which the screen must be on in addition to the thresholds.
/// - Every start requires the 30 s, not only a start after the quota ran out.
public struct QuotaPolicy: Policy, Hashable {
    /// The running time per window. The default is 10 min.
    public var limit: Duration
    /// The window of an app used within 24 h. The default is 2 h. No window is longer than 24 h.
    public var short: Duration
    /// The window of an app used within 48 h. The default is 8 h.
    public var medium: Duration
    /// The window of any other app. The default is 24 h.
    public var long: Duration
    /// The running time that must be left for a start, so that no transfer starts only for a moment.
    private static let buffer = Duration.seconds(30)

    /// Creates a policy from its settings. The properties document their defaults.
    public init(
        limit: Duration = .seconds(600), short: Duration = .seconds(2 * 3600), medium: Duration = .seconds(8 * 3600),
        long: Duration = .seconds(24 * 3600)
    ) {
        self.limit = limit
        self.short = short
        self.medium = medium
        self.long = long
    }

    /// Returns permission to run if the app has running time left; otherwise, a wait until the renewal.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        guard context.conditions.power.value != .ac else { return .run(relyingOn: .power, reevaluateAt: nil) }
        let app = subject.traits.app
        let (window, changes) = window(lastUse: context.history.apps.lastUse(of: app), at: context.now.wall)
        let recency = context.reevaluation(at: changes)
        guard let window else { return .run(relyingOn: [], reevaluateAt: recency) }
        let runs = runs(of: app, in: context)
        let left = limit - Self.used(runs, within: window, until: context.now.wall)
        if left > .zero, subject.isRunning || left >= min(Self.buffer, limit) {
            // The remaining time shrinks while the transfer runs; otherwise it can only grow.
            let end = subject.isRunning ? context.reevaluation(at: context.now.instant.advanced(by: left)) : nil
            return .run(relyingOn: [], reevaluateAt: Verdict.earlier(end, recency))
        }
        let renewed = renewal(runs, within: window)
        let reevaluation = context.reevaluation(at: renewed)
        let wait = WaitReason(.budgetSpent(.runTime, renewed: reevaluation == nil ? nil : renewed), since: context.now)
        return .wait([wait], reevaluateAt: Verdict.earlier(reevaluation, recency))
    }

    /// Returns the window for an app by its last use, or `nil` for no limit, and the date on which the window
    /// changes.
    private func window(lastUse: WallTime?, at now: WallTime) -> (Duration?, changes: WallTime?) {
        guard let lastUse else { return (long, nil) }
        let steps: [(age: Duration, window: Duration?)] = [
            (.seconds(12 * 3600), nil), (.seconds(24 * 3600), short), (.seconds(48 * 3600), medium),
        ]
        for step in steps where now < lastUse.advanced(by: step.age) {
            return (step.window, lastUse.advanced(by: step.age))
        }
        return (long, nil)
    }

    /// Returns the spans in which transfers of `app` ran, including the current span.
    private func runs(of app: String, in context: PolicyContext) -> [AppHistory.Run] {
        var runs = context.history.apps.runs(of: app)
        if let observed = context.history.observed, observed.isAwake, observed.runningApps.contains(app),
            observed.time.wall < context.now.wall
        {
            runs.append(.init(start: observed.time.wall, end: context.now.wall))
        }
        return runs
    }

    private static func used(_ runs: [AppHistory.Run], within window: Duration, until now: WallTime) -> Duration {
        let start = now.advanced(by: .zero - window)
        return runs.reduce(.zero) { $0 + max(.zero, max($1.start, start).duration(to: min($1.end, now))) }
    }

    /// Returns the date on which enough running time has left the window for a new start.
    private func renewal(_ runs: [AppHistory.Run], within window: Duration) -> WallTime? {
        // Counted backward from the newest span: the running time that the window may still contain at that date.
        var rest = limit - min(Self.buffer, limit)
        for run in runs.reversed() {
            let length = max(.zero, run.start.duration(to: run.end))
            if length > rest { return run.end.advanced(by: .zero - rest).advanced(by: window) }
            rest -= length
        }
        return nil
    }

    static let entry = PolicyCatalog.Entry(
        name: "quota", summary: "off AC, limits each app's running time per window, by its last use",
        parameters: [
            .init("minutes", "running time per window", unit: "min", default: 10, in: 1...1440),
            .init("short", "window of an app used within 24 h", unit: "h", default: 2, in: 0.5...24),
            .init("medium", "window of an app used within 48 h", unit: "h", default: 8, in: 0.5...24),
            .init("long", "window of any other app", unit: "h", default: 24, in: 0.5...24),
        ]
    ) {
        func hours(_ value: Double) -> Duration { Duration(clampingSeconds: value * 3600) }
        return QuotaPolicy(
            limit: Duration(clampingSeconds: $0["minutes"] * 60), short: hours($0["short"]),
            medium: hours($0["medium"]), long: hours($0["long"]))
    }
}
