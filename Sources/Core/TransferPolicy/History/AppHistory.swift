// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The running time of each app's transfers during the last day, and the last time the user used each app.
///
/// Running times are recorded only under a policy that is not a ``PhasedPolicy``, because only such a policy can use
/// them.
public struct AppHistory: Hashable, Sendable, Codable {
    /// A half-open span of time in which at least one transfer of an app ran.
    struct Run: Hashable, Sendable, Codable {
        var start: WallTime
        var end: WallTime
    }
    private struct App: Hashable, Sendable, Codable {
        var lastUse: WallTime?
        var runs: [Run] = []
    }

    /// The age at which the history removes a span.
    static let horizon = Duration.seconds(24 * 3600)
    /// The largest number of spans per app. Beyond this number, the two oldest spans are joined, and the gap between
    /// them counts as running time.
    private static let limit = 64

    private var apps: [String: App] = [:]

    /// Creates an empty history.
    public init() {}

    /// Returns the last time the user used `app`, or `nil` if no use is known.
    public func lastUse(of app: String) -> WallTime? { apps[app]?.lastUse }

    /// Records that the user uses `app` at `date`.
    public mutating func used(_ app: String, at date: WallTime) { apps[app, default: App()].lastUse = date }

    /// Returns the spans of `app`, oldest first.
    func runs(of app: String) -> [Run] { apps[app]?.runs ?? [] }

    /// Records that a transfer of `app` ran for `elapsed` time until `end`.
    mutating func add(_ elapsed: Duration, until end: WallTime, app: String) {
        let start = end.advanced(by: .zero - min(elapsed, Self.horizon))
        // If the clock went back, spans that now lie in the future are forgotten.
        var runs = (apps[app]?.runs ?? []).filter { $0.end <= end && $0.end > end.advanced(by: .zero - Self.horizon) }
        if let last = runs.last, last.end >= start {
            runs[runs.count - 1].end = end
        } else {
            runs.append(Run(start: start, end: end))
        }
        if runs.count > Self.limit {
            runs[1].start = runs[0].start
            runs.removeFirst()
        }
        apps[app, default: App()].runs = runs
    }

    /// Forgets all spans that end after `date`, for a clock that went back.
    ///
    /// The spans are removed immediately rather than with the next run. Otherwise, the rest of a quota would later
    /// change by itself.
    mutating func forget(after date: WallTime) {
        for app in apps.keys { apps[app]?.runs.removeAll { $0.end > date } }
    }
}
