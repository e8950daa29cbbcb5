// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// How long each app's transfers ran in the last day, and when a person last used it.
///
/// How long they ran is learned only under a policy that may ask for it, one that is no ``StagedPolicy``.
public struct AppHistory: Hashable, Sendable, Codable {
    /// A span in which at least one transfer of an app ran, half-open.
    struct Run: Hashable, Sendable, Codable {
        var start: WallTime
        var end: WallTime
    }
    private struct App: Hashable, Sendable, Codable {
        var lastUse: WallTime?
        var runs: [Run] = []
    }

    /// What lies further back than this is forgotten.
    static let horizon = Duration.seconds(24 * 3600)
    /// More spans than this in a day are joined, the oldest first: that counts a gap as running.
    private static let limit = 64

    private var apps: [String: App] = [:]

    /// Nothing learned yet.
    public init() {}

    /// When a person last used the app; nil when nobody was seen to.
    public func lastUse(of app: String) -> WallTime? { apps[app]?.lastUse }

    /// A person uses the app.
    public mutating func used(_ app: String, at date: WallTime) { apps[app, default: App()].lastUse = date }

    /// The app's spans, oldest first.
    func runs(of app: String) -> [Run] { apps[app]?.runs ?? [] }

    /// A transfer of the app has run for so long, until `end`.
    mutating func add(_ elapsed: Duration, until end: WallTime, app: String) {
        let start = end.advanced(by: .zero - min(elapsed, Self.horizon))
        // What a clock that went back leaves in the future is forgotten.
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

    /// Forgets what a clock that went back leaves in the future, at once and not with the next run: else what is left of
    /// a quota would change by itself later.
    mutating func forget(after date: WallTime) {
        for app in apps.keys { apps[app]?.runs.removeAll { $0.end > date } }
    }
}
