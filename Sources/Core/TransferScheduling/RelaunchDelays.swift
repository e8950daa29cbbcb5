// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

/// The relaunch limiters of apps, and the transfers that they delay.
struct RelaunchDelays: Sendable {
    private var limiters: [String: RelaunchLimiter] = [:]
    /// Open transfers with a delay, by the app whose limiter gave it.
    private var delayed: [String: Set<TransferID>] = [:]
    private let configuration: RelaunchLimiterConfiguration

    init(
        _ records: [String: RelaunchLimiter.Record], at now: Moment, boot: String,
        _ configuration: RelaunchLimiterConfiguration
    ) {
        self.configuration = configuration
        limiters = records.mapValues { RelaunchLimiter($0, at: now, boot: boot, configuration: configuration) }
    }

    /// The limiters whose delay is not 0, as they are stored.
    func records(at now: Moment, boot: String) -> [String: RelaunchLimiter.Record] {
        limiters.filter { $1.delay(at: now.instant) > .zero }.mapValues { $0.record(at: now, boot: boot) }
    }

    /// The apps with a limiter, in order.
    var apps: [String] { limiters.keys.sorted() }

    /// An app's limiter for people; nil if the app has none.
    func explanation(of app: String, at now: Moment) -> RelaunchLimiter.Explanation? {
        limiters[app]?.explanation(at: now.instant)
    }

    /// Counts a relaunch of an app: its delay grows.
    mutating func relaunched(_ app: String, at now: Moment) {
        limiters[app, default: RelaunchLimiter(configuration: configuration)].relaunched(at: now.instant)
    }

    /// Takes back a relaunch that will not happen; returns whether the app has a limiter.
    mutating func abandonRelaunch(of app: String, at now: Moment) -> Bool {
        limiters[app]?.relaunchAbandoned(at: now.instant) != nil
    }

    /// Forgets an app's limiter, if there is one. Returns the transfers that are free now, in order.
    mutating func reset(_ app: String) -> (hadLimiter: Bool, freed: [TransferID]) {
        (limiters.removeValue(forKey: app) != nil, delayed.removeValue(forKey: app)?.sorted() ?? [])
    }

    /// Lets the limiter of a new transfer's app delay the transfer; returns nil if there is no limiter.
    mutating func delayNew(_ entry: inout TransferEntry, _ id: TransferID, at now: Moment) -> RelaunchLimiter.Hold? {
        guard let hold = limiters[entry.traits.app]?.taskStartedInBackground(at: now.instant) else { return nil }
        delay(&entry, id, by: hold, at: now)
        return hold
    }

    /// Delays a transfer as its app's limiter has said.
    mutating func delay(_ entry: inout TransferEntry, _ id: TransferID, by hold: RelaunchLimiter.Hold, at now: Moment) {
        let app = entry.traits.app
        guard let limiter = limiters[app], let release = limiter.release(of: hold) else { return }
        let explanation = limiter.explanation(at: now.instant)
        // What somebody has since asked for by themselves waits no longer; the limiter still counts its end (R4).
        entry.relaunchDelay = TransferEntry.RelaunchDelay(
            hold: hold, release: entry.traits.isFromBackground == true ? release : min(release, now.instant),
            delay: explanation.delay, relaunches: explanation.relaunches, since: now)
        delayed[app, default: []].insert(id)
    }

    /// Tells the limiter of an app that a transfer that it delayed has ended, or is another app's now.
    mutating func end(
        _ delay: TransferEntry.RelaunchDelay, of id: TransferID, _ app: String, causesRelaunch: Bool, at now: Moment
    ) {
        delayed[app]?.remove(id)
        limiters[app]?.heldTaskEnded(delay.hold, causesRelaunch: causesRelaunch, at: now.instant)
    }
}
