// SPDX-License-Identifier: Apache-2.0
package import TransferModel
internal import TransferPolicy

/// The waits that servers requested with `Retry-After`. A wait applies to every transfer with the server's key; see
/// `TransferTraits.host`. A running attempt continues.
package struct ServerWaits: Sendable {
    /// The wait of one server.
    package struct Wait: Sendable {
        /// The time of the response.
        package let since: ClockReading
        package let until: Instant
    }

    private var waits: [String: Wait] = [:]

    package init() {}

    /// Records a wait. A wait of the same server that lasts as long is kept, and waits that have ended are forgotten.
    /// Returns whether anything changed for the server.
    ///
    /// Servers count in seconds, so less than a second more changes nothing. Otherwise, each of the responses that arrive
    /// together would change the reasons of all waiting transfers.
    package mutating func add(_ server: String, until: Instant, at now: ClockReading) -> Bool {
        waits = waits.filter { $1.until > now.instant }
        guard until > now.instant, waits[server].map({ $0.until.advanced(by: .seconds(1)) <= until }) ?? true else {
            return false
        }
        waits[server] = Wait(since: waits[server]?.since ?? now, until: until)
        return true
    }

    /// Ends the wait of a server. Returns whether there was a wait.
    package mutating func end(_ server: String, at now: Instant) -> Bool {
        (waits.removeValue(forKey: server)?.until).map { $0 > now } ?? false
    }

    /// Returns the wait that keeps transfers to a server from starting; `nil` if there is none. A wait that begins after
    /// `now` does not count, because explanations also ask about the past.
    package func wait(of server: String, at now: Instant) -> Wait? {
        guard !waits.isEmpty, let wait = waits[server], wait.since.instant <= now, now < wait.until else { return nil }
        return wait
    }

    /// Returns the wait of a transfer's server; `nil` if there is none. A backoff that lasts as long is reason enough.
    func verdict(for entry: TransferEntry, at now: ClockReading) -> Verdict? {
        guard let wait = wait(of: entry.traits.host, at: now.instant) else { return nil }
        if case .waiting(.backoff(_, _, _, let end)) = entry.phase, end >= wait.until { return nil }
        let reason = Reason.retryAfter(until: now.wall(at: wait.until))
        return .wait([WaitReason(reason, since: wait.since)], reevaluateAt: wait.until)
    }

    /// Returns the ends of the waits by server, in their stored form.
    package func records(at now: ClockReading) -> [String: WallTime] {
        waits.filter { $1.until > now.instant }.mapValues { now.wall(at: $0.until) }
    }
}
