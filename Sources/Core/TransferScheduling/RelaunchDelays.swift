// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

/// The relaunch limiters of apps, and the transfers that they delay.
struct RelaunchDelays: Sendable {
    private var limiters: [String: RelaunchLimiter] = [:]
    /// The unfinished transfers with a delay, by the app whose limiter assigned it.
    private var delayed: [String: Set<TransferID>] = [:]
    private let configuration: RelaunchLimiterConfiguration

    init(
        _ records: [String: RelaunchLimiter.Record], at now: ClockReading, boot: String,
        _ configuration: RelaunchLimiterConfiguration
    ) {
        self.configuration = configuration
        limiters = records.mapValues { RelaunchLimiter($0, at: now, boot: boot, configuration: configuration) }
    }

    /// Returns the limiters whose delay is not 0, in their stored form.
    func records(at now: ClockReading, boot: String) -> [String: RelaunchLimiter.Record] {
        limiters.filter { $1.delay(at: now.instant) > .zero }.mapValues { $0.record(at: now, boot: boot) }
    }

    /// The apps with a limiter, in order.
    var apps: [String] { limiters.keys.sorted() }

    /// Returns the state of an app's limiter for display; `nil` if the app has no limiter.
    func explanation(of app: String, at now: ClockReading) -> RelaunchLimiter.Explanation? {
        limiters[app]?.explanation(at: now.instant)
    }

    /// Counts a relaunch of an app, which increases the app's delay.
    mutating func relaunched(_ app: String, at now: ClockReading) {
        limiters[app, default: RelaunchLimiter(configuration: configuration)].relaunched(at: now.instant)
    }

    /// Takes back a relaunch that will not happen; returns whether the app has a limiter.
    mutating func abandonRelaunch(of app: String, at now: ClockReading) -> Bool {
        limiters[app]?.relaunchAbandoned(at: now.instant) != nil
    }

    /// Forgets an app's limiter, if there is one. Returns the transfers that are free now, in order.
    mutating func reset(_ app: String) -> (hadLimiter: Bool, freed: [TransferID]) {
        (limiters.removeValue(forKey: app) != nil, delayed.removeValue(forKey: app)?.sorted() ?? [])
    }

    /// Lets the limiter of a new transfer's app delay the transfer; returns `nil` if the app has no limiter.
    mutating func delayNew(_ entry: inout TransferEntry, _ id: TransferID, at now: ClockReading) -> RelaunchLimiter
        .RelaunchDelay?
    {
        guard let relaunchDelay = limiters[entry.traits.app]?.taskStartedInBackground(at: now.instant) else {
            return nil
        }
        delay(&entry, id, by: relaunchDelay, at: now)
        return relaunchDelay
    }

    /// Delays a transfer as its app's limiter has said.
    mutating func delay(
        _ entry: inout TransferEntry, _ id: TransferID, by relaunchDelay: RelaunchLimiter.RelaunchDelay,
        at now: ClockReading
    ) {
        let app = entry.traits.app
        guard let limiter = limiters[app], let release = limiter.release(of: relaunchDelay) else { return }
        let explanation = limiter.explanation(at: now.instant)
        // Work that the user has since requested no longer waits, but the limiter still counts its end (R4).
        entry.relaunchDelay = TransferEntry.AssignedDelay(
            relaunchDelay: relaunchDelay,
            release: entry.traits.isFromBackground == true ? release : min(release, now.instant),
            delay: explanation.delay, relaunches: explanation.relaunches, since: now)
        delayed[app, default: []].insert(id)
    }

    /// Reports to an app's limiter that a delayed transfer has ended or now belongs to another app.
    mutating func end(
        _ delay: TransferEntry.AssignedDelay, of id: TransferID, _ app: String, causesRelaunch: Bool,
        at now: ClockReading
    ) {
        delayed[app]?.remove(id)
        limiters[app]?.delayedTaskEnded(delay.relaunchDelay, causesRelaunch: causesRelaunch, at: now.instant)
    }
}
