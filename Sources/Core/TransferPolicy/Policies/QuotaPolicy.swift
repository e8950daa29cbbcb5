// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Off AC, gives each app so much running time per rolling window; the longer nobody used the app, the longer the window.
///
/// An app used within 12 hours has no limit; within 24 hours the window is the short one, within 48 hours the medium
/// one, else, and where nobody was seen to use it, the long one. An app's own state decides, so this is no
/// ``StagedPolicy``.
///
/// Source, read in `aosp-mirror/platform_frameworks_base`: Android 10's
/// `services/core/java/com/android/server/job/controllers/QuotaController.java` at 045fb572 (10 min per 2, 8 and 24 h;
/// 30 s before an app out of quota is in it again; free while charging), and
/// `services/usage/java/com/android/server/usage/AppStandbyController.java` at 06ea0432 (`ELAPSED_TIME_THRESHOLDS` 12, 24
/// and 48 h). developer.android.com, "Power management resource limits", has the same windows. Left out: at most 4 h
/// within 24 h, the numbers of jobs and sessions, the time for which the screen has to be on beside those thresholds,
/// and the bucket of restricted apps. Other than there the 30 s are asked for at every start.
public struct QuotaPolicy: Policy, Hashable {
    /// Running time per window. Default 10 min.
    public var limit: Duration
    /// The window of an app used within 24 h. Default 2 h. None is longer than 24 h.
    public var short: Duration
    /// The window of an app used within 48 h. Default 8 h.
    public var medium: Duration
    /// The window of any other app. Default 24 h.
    public var long: Duration
    /// What must be left for a start, so that nothing starts for a moment only.
    private static let buffer = Duration.seconds(30)

    /// The rule.
    public init(
        limit: Duration = .seconds(600), short: Duration = .seconds(2 * 3600), medium: Duration = .seconds(8 * 3600),
        long: Duration = .seconds(24 * 3600)
    ) {
        self.limit = limit
        self.short = short
        self.medium = medium
        self.long = long
    }

    /// Says whether running time is left.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        guard context.conditions.power.value != .ac else { return .run(relyingOn: .power, lookAgain: nil) }
        let app = subject.traits.app
        let (window, changes) = window(lastUse: context.history.apps.lastUse(of: app), at: context.now.wall)
        let recency = context.look(at: changes)
        guard let window else { return .run(relyingOn: [], lookAgain: recency) }
        let runs = runs(of: app, in: context)
        let left = limit - Self.used(runs, within: window, until: context.now.wall)
        if left > .zero, subject.isRunning || left >= min(Self.buffer, limit) {
            // While it runs the time left gets shorter, else it can only grow.
            let end = subject.isRunning ? context.look(at: context.now.instant.advanced(by: left)) : nil
            return .run(relyingOn: [], lookAgain: Verdict.earlier(end, recency))
        }
        let renewed = renewal(runs, within: window)
        let look = context.look(at: renewed)
        let hold = Hold(.budgetSpent(.runTime, renewed: look == nil ? nil : renewed), since: context.now)
        return .hold([hold], lookAgain: Verdict.earlier(look, recency))
    }

    /// The window that counts for an app by its last use, nil for none, and when that changes.
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

    /// The app's spans, the one that runs included.
    private func runs(of app: String, in context: PolicyContext) -> [AppHistory.Run] {
        var runs = context.history.apps.runs(of: app)
        if let observed = context.history.observed, observed.isAwake, observed.runningApps.contains(app),
            observed.moment.wall < context.now.wall
        {
            runs.append(.init(start: observed.moment.wall, end: context.now.wall))
        }
        return runs
    }

    private static func used(_ runs: [AppHistory.Run], within window: Duration, until now: WallTime) -> Duration {
        let start = now.advanced(by: .zero - window)
        return runs.reduce(.zero) { $0 + max(.zero, max($1.start, start).duration(to: min($1.end, now))) }
    }

    /// When so much running time has left the window that a start is worth it again.
    private func renewal(_ runs: [AppHistory.Run], within window: Duration) -> WallTime? {
        // Counted from the newest back: what may still lie in the window then.
        var rest = limit - min(Self.buffer, limit)
        for run in runs.reversed() {
            let length = max(.zero, run.start.duration(to: run.end))
            if length > rest { return run.end.advanced(by: .zero - rest).advanced(by: window) }
            rest -= length
        }
        return nil
    }

    static let entry = PolicyCatalog.Entry(
        name: "quota", summary: "off AC so much running time per app in a rolling window, by when it was last used",
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
