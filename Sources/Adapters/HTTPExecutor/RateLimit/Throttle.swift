// SPDX-License-Identifier: Apache-2.0
import Dispatch
import LinuxKernel
import Synchronization
import TransferEngine
internal import TransferModel
import TransferPolicy

/// Keeps running transfers within the rate limits.
///
/// The throttle gives each rate limiter its share. While a limit is set, the throttle recomputes the shares twice a
/// second.
///
/// The shares keep running transfers within the limits. Many short transfers together can exceed a limit. The excess
/// becomes a debt of that limit, and later requests wait until the debt is paid off.
final class Throttle: Sendable {
    private struct Runner: Sendable {
        var rateLimiter: RateLimiter
        var counted: Int64 = 0
        /// The number of bytes since the last update of the demand.
        var used: Int64 = 0
        var share: Int64?
        var demand: Int64?
    }
    private struct State {
        var limits: RateLimits
        var runners: [Int64: Runner] = [:]
        var debts: [RateLimit: RateDebt] = [:]
        var demandsUpdated: UInt64 = 0
        /// The number of bytes that all rate limiters have transferred so far.
        var total: Int64 = 0
        var foreground: ForegroundMonitor
        var timer: (any DispatchSourceTimer)?
    }
    private let client: any TransportClient
    private let queue = DispatchQueue(label: "transfer.throttle")
    private let state: Mutex<State>

    /// The time between two updates of the shares.
    private static let interval = DispatchTimeInterval.milliseconds(500)
    /// The time between two updates if transfers yield to other programs.
    private static let foregroundInterval = DispatchTimeInterval.milliseconds(250)
    private static let second: UInt64 = 1_000_000_000

    /// Creates a throttle.
    ///
    /// - Parameters:
    ///   - limits: The initial rate limits.
    ///   - client: The transport, which may limit the rates itself.
    ///   - interfaces: The network interfaces to watch. If `nil`, the interfaces that connect this machine to the
    ///     network.
    init(limits: RateLimits, client: any TransportClient, interfaces: [String]?) {
        self.client = client
        state = Mutex(
            State(
                limits: limits,
                foreground: ForegroundMonitor(interfaces: interfaces, client: client)))
    }

    /// Replaces the limits, for running transfers too.
    func set(_ limits: RateLimits) {
        state.withLock { state in
            state.limits = limits
            update(&state)
            allocate(&state)
            // The new limits may need a different interval.
            state.timer?.cancel()
            state.timer = nil
            updateTimer(&state)
        }
    }

    /// Registers a new attempt and returns its rate limiter.
    func enter(_ job: TransferJob, isSending: Bool = false) -> RateLimiter {
        let rateLimiter = RateLimiter(job: job, isSending: isSending)
        state.withLock { state in
            update(&state)
            state.runners[job.id.rawValue] = Runner(rateLimiter: rateLimiter)
            allocate(&state)
            updateTimer(&state)
        }
        return rateLimiter
    }

    /// Removes an attempt that has ended.
    func leave(_ rateLimiter: RateLimiter) {
        state.withLock { state in
            update(&state)
            // A transfer that was restarted already has a new rate limiter.
            if state.runners[rateLimiter.id.rawValue]?.rateLimiter === rateLimiter {
                state.runners[rateLimiter.id.rawValue] = nil
            }
            state.debts[.transfer(rateLimiter.id.rawValue)] = nil
            allocate(&state)
            updateTimer(&state)
        }
    }

    /// Returns the earliest time of the rate limiter's next request. Until that time, the debt of the rate limiter's
    /// limits is paid off.
    func timeOfNextRequest(_ rateLimiter: RateLimiter) -> UInt64 {
        let now = MonotonicTime.now()
        let wait = state.withLock { state in
            update(&state)
            return Self.wait(for: rateLimiter, state)
        }
        guard client.controlsConnections, wait > 5_000_000 else { return now }
        let time = now + min(wait, 60 * Self.second)
        rateLimiter.delay(until: time)
        return time
    }

    /// Counts bytes that the transport does not count, and returns the time until which the caller must wait.
    ///
    /// Returns 0 if the transport limits the rates or no limit is set.
    func record(_ count: Int, _ rateLimiter: RateLimiter) -> UInt64 {
        guard !client.controlsConnections else { return 0 }
        rateLimiter.count(Int64(count))
        return state.withLock { state in
            guard state.timer != nil else { return 0 }
            update(&state)
            return MonotonicTime.now() + Self.wait(for: rateLimiter, state)
        }
    }

    // MARK: Under the lock

    private static func wait(for rateLimiter: RateLimiter, _ state: State) -> UInt64 {
        let rates = rates(state)
        return rateLimiter.limits.compactMap { limit in
            rates[limit].flatMap { state.debts[limit]?.wait(bytesPerSecond: $0) }
        }.max() ?? 0
    }

    /// Returns the current rate of each limit, in bytes per second and at least 1.
    private static func rates(_ state: State) -> [RateLimit: Int64] {
        var rates: [RateLimit: Int64] = [:]
        rates[.global] = state.limits.global
        for (app, rate) in state.limits.perApp { rates[.app(app)] = rate }
        for (id, runner) in state.runners { rates[.transfer(id)] = runner.rateLimiter.ownLimit }
        if state.limits.yieldsToForeground {
            rates[.receiving] = state.foreground.receiving.limit
            rates[.sending] = state.foreground.sending.limit
        }
        return rates.mapValues { max(1, $0) }
    }

    /// Counts the bytes that passed through the rate limiters since the last call.
    private func update(_ state: inout State) {
        let now = MonotonicTime.now()
        let rates = Self.rates(state)
        for limit in rates.keys where state.debts[limit] == nil { state.debts[limit] = RateDebt() }
        state.debts = state.debts.filter { rates[$0.key] != nil }
        for id in state.runners.keys.sorted() {
            guard var runner = state.runners[id] else { continue }
            let bytes = runner.rateLimiter.bytes
            let fresh = max(0, bytes - runner.counted)
            runner.counted = bytes
            runner.used += fresh
            state.total += fresh
            state.runners[id] = runner
            guard fresh > 0 else { continue }
            for limit in runner.rateLimiter.limits where rates[limit] != nil { state.debts[limit]?.record(fresh) }
        }
        // Must follow the counting above. Otherwise the time in which those bytes were transferred is reduced to the
        // credit.
        for (limit, rate) in rates { state.debts[limit]?.update(now: now, bytesPerSecond: rate) }
    }

    /// Assigns each rate limiter its share.
    private func allocate(_ state: inout State) {
        let rates = Self.rates(state)
        let limits = rates.reduce(into: [RateLimit: Int64]()) { limits, entry in
            // Connections take the bytes of a tenth of a second at a time. A larger debt is paid off within a second,
            // but never with more than half of the rate.
            let debt = max(0, (state.debts[entry.key]?.debt ?? 0) - entry.value / 8)
            limits[entry.key] = max(entry.value / 2, entry.value - debt)
        }
        let ids = state.runners.keys.sorted()
        let claims = ids.compactMap { id in
            state.runners[id].map { RateShares.Claim(id: id, limits: $0.rateLimiter.limits, demand: $0.demand) }
        }
        let shares = limits.isEmpty ? [:] : RateShares.shares(of: claims, under: limits)
        for id in ids {
            state.runners[id]?.share = shares[id]
            state.runners[id]?.rateLimiter.setRate(shares[id])
        }
    }

    /// Estimates the demand of each transfer from its recent use.
    private func updateDemands(_ state: inout State, now: UInt64) {
        let elapsed = now - state.demandsUpdated
        defer { state.demandsUpdated = now }
        guard elapsed >= Self.second / 4, elapsed < 3 * Self.second else {
            for id in state.runners.keys { state.runners[id]?.used = 0 }
            return
        }
        for id in state.runners.keys.sorted() {
            guard let runner = state.runners[id] else { continue }
            let used = Int64(Double(runner.used) / Double(elapsed) * Double(Self.second))
            state.runners[id]?.demand = runner.share.flatMap { share in
                RateShares.demand(used: used, share: share, least: max(4096, share / 10))
            }
            state.runners[id]?.used = 0
        }
    }

    private func updateTimer(_ state: inout State) {
        let isLimited =
            state.limits.yieldsToForeground || state.limits.global != nil || !state.limits.perApp.isEmpty
            || state.runners.values.contains { $0.rateLimiter.ownLimit != nil }
        guard isLimited, !state.runners.isEmpty else {
            state.timer?.cancel()
            state.timer = nil
            state.foreground.rest()
            return
        }
        guard state.timer == nil else { return }
        let yieldsToForeground = state.limits.yieldsToForeground
        if yieldsToForeground { state.foreground.begin() }
        let interval = yieldsToForeground ? Self.foregroundInterval : Self.interval
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(20))
        timer.setEventHandler { [self] in tick() }
        timer.resume()
        state.timer = timer
    }

    private func tick() {
        let now = MonotonicTime.now()
        state.withLock { state in
            update(&state)
            if state.limits.yieldsToForeground {
                state.foreground.sample(now: now, own: state.total)
            }
            if now - state.demandsUpdated >= Self.second * 9 / 20 { updateDemands(&state, now: now) }
            allocate(&state)
        }
    }
}
