// SPDX-License-Identifier: Apache-2.0
import Dispatch
import LinuxKernel
import Synchronization
import TransferEngine
internal import TransferModel
import TransferPolicy
import URLSessionRepair

/// Keeps running transfers within the rate limits.
///
/// The throttle gives each lane its share. While a limit is set, the throttle recomputes the shares twice a second.
///
/// The shares keep running transfers within the limits. Many short transfers together can exceed a limit. The excess
/// becomes a debt of that limit, and later requests wait until the debt is paid off.
final class Throttle: Sendable {
    private struct Runner: Sendable {
        var lane: RateLane
        var counted: Int64 = 0
        /// The number of bytes since the last update of the demand.
        var used: Int64 = 0
        var share: Int64?
        var demand: Int64?
    }
    private struct State {
        var limits: RateLimits
        var runners: [Int64: Runner] = [:]
        var buckets: [RateLimit: RateBucket] = [:]
        var demandsTold: UInt64 = 0
        /// The number of bytes that all lanes have transferred so far.
        var total: Int64 = 0
        var watch: ForegroundWatch
        var timer: (any DispatchSourceTimer)?
    }
    private let isRepaired: Bool
    private let queue = DispatchQueue(label: "transfer.throttle")
    private let state: Mutex<State>

    /// The time between two updates of the shares.
    private static let interval = DispatchTimeInterval.milliseconds(500)
    /// The time between two updates if transfers yield to other programs.
    private static let watchfulInterval = DispatchTimeInterval.milliseconds(250)
    private static let second: UInt64 = 1_000_000_000

    /// Creates a throttle.
    ///
    /// - Parameters:
    ///   - limits: The initial rate limits.
    ///   - isRepaired: Whether the URLSession repair counts and limits the bytes.
    ///   - interfaces: The network interfaces to watch. If `nil`, the interfaces that connect this machine to the
    ///     network.
    init(limits: RateLimits, isRepaired: Bool, interfaces: [String]?) {
        self.isRepaired = isRepaired
        state = Mutex(State(limits: limits, watch: ForegroundWatch(interfaces: interfaces, isRepaired: isRepaired)))
    }

    /// Replaces the limits, for running transfers too.
    func set(_ limits: RateLimits) {
        state.withLock { state in
            state.limits = limits
            settle(&state)
            allocate(&state)
            // The new limits may need a different interval.
            state.timer?.cancel()
            state.timer = nil
            keepTime(&state)
        }
    }

    /// Registers a new attempt and returns its lane.
    func enter(_ job: TransferJob, isSending: Bool = false) -> RateLane {
        let lane = RateLane(job: job, isSending: isSending, isRepaired: isRepaired)
        state.withLock { state in
            settle(&state)
            state.runners[job.id.rawValue] = Runner(lane: lane)
            allocate(&state)
            keepTime(&state)
        }
        return lane
    }

    /// Removes an attempt that has ended, and closes its lane.
    func leave(_ lane: RateLane) {
        state.withLock { state in
            settle(&state)
            // A transfer that was restarted already has a new lane.
            if state.runners[lane.id.rawValue]?.lane === lane { state.runners[lane.id.rawValue] = nil }
            state.buckets[.transfer(lane.id.rawValue)] = nil
            allocate(&state)
            keepTime(&state)
        }
        lane.close()
    }

    /// Returns the earliest time of the lane's next request. Until that time, the debt of the lane's limits is paid
    /// off.
    func timeOfNextRequest(_ lane: RateLane) -> UInt64 {
        let now = MonotonicTime.now()
        let wait = state.withLock { state in
            settle(&state)
            return Self.wait(for: lane, state)
        }
        guard isRepaired, wait > 5_000_000 else { return now }
        let time = now + min(wait, 60 * Self.second)
        lane.hold(until: time)
        return time
    }

    /// Counts bytes that the repair does not count, and returns the time until which the caller must wait.
    ///
    /// Returns 0 if the repair is active or no limit is set.
    func take(_ count: Int, _ lane: RateLane) -> UInt64 {
        guard !isRepaired else { return 0 }
        lane.count(Int64(count))
        return state.withLock { state in
            guard state.timer != nil else { return 0 }
            settle(&state)
            return MonotonicTime.now() + Self.wait(for: lane, state)
        }
    }

    // MARK: Under the lock

    private static func wait(for lane: RateLane, _ state: State) -> UInt64 {
        let rates = rates(state)
        return lane.limits.compactMap { limit in
            rates[limit].flatMap { state.buckets[limit]?.wait(bytesPerSecond: $0) }
        }.max() ?? 0
    }

    /// Returns the current rate of each limit, in bytes per second and at least 1.
    private static func rates(_ state: State) -> [RateLimit: Int64] {
        var rates: [RateLimit: Int64] = [:]
        rates[.global] = state.limits.global
        for (app, rate) in state.limits.perApp { rates[.app(app)] = rate }
        for (id, runner) in state.runners { rates[.transfer(id)] = runner.lane.ownLimit }
        if state.limits.yieldsToForeground {
            rates[.receiving] = state.watch.receiving.limit
            rates[.sending] = state.watch.sending.limit
        }
        return rates.mapValues { max(1, $0) }
    }

    /// Counts the bytes that passed through the lanes since the last call.
    private func settle(_ state: inout State) {
        let now = MonotonicTime.now()
        let rates = Self.rates(state)
        for limit in rates.keys where state.buckets[limit] == nil { state.buckets[limit] = RateBucket() }
        state.buckets = state.buckets.filter { rates[$0.key] != nil }
        for id in state.runners.keys.sorted() {
            guard var runner = state.runners[id] else { continue }
            let bytes = runner.lane.bytes
            let fresh = max(0, bytes - runner.counted)
            runner.counted = bytes
            runner.used += fresh
            state.total += fresh
            state.runners[id] = runner
            guard fresh > 0 else { continue }
            for limit in runner.lane.limits where rates[limit] != nil { state.buckets[limit]?.take(fresh) }
        }
        // Must follow the counting above. Otherwise the time in which those bytes were taken is cut down to the
        // credit.
        for (limit, rate) in rates { state.buckets[limit]?.settle(now: now, bytesPerSecond: rate) }
    }

    /// Assigns each lane its share.
    private func allocate(_ state: inout State) {
        let rates = Self.rates(state)
        let limits = rates.reduce(into: [RateLimit: Int64]()) { limits, entry in
            // Connections take the bytes of a tenth of a second at a time. A larger debt is paid off within a second,
            // but never with more than half of the rate.
            let debt = max(0, (state.buckets[entry.key]?.debt ?? 0) - entry.value / 8)
            limits[entry.key] = max(entry.value / 2, entry.value - debt)
        }
        let ids = state.runners.keys.sorted()
        let claims = ids.compactMap { id in
            state.runners[id].map { RateShares.Claim(id: id, limits: $0.lane.limits, demand: $0.demand) }
        }
        let shares = limits.isEmpty ? [:] : RateShares.shares(of: claims, under: limits)
        for id in ids {
            state.runners[id]?.share = shares[id]
            state.runners[id]?.lane.setRate(shares[id])
        }
    }

    /// Estimates the demand of each transfer from its recent use.
    private func tellDemands(_ state: inout State, now: UInt64) {
        let elapsed = now - state.demandsTold
        defer { state.demandsTold = now }
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

    private func keepTime(_ state: inout State) {
        let isLimited =
            state.limits.yieldsToForeground || state.limits.global != nil || !state.limits.perApp.isEmpty
            || state.runners.values.contains { $0.lane.ownLimit != nil }
        guard isLimited, !state.runners.isEmpty else {
            state.timer?.cancel()
            state.timer = nil
            state.watch.rest()
            return
        }
        guard state.timer == nil else { return }
        let isWatchful = state.limits.yieldsToForeground
        if isWatchful { state.watch.begin() }
        let interval = isWatchful ? Self.watchfulInterval : Self.interval
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(20))
        timer.setEventHandler { [self] in tick() }
        timer.resume()
        state.timer = timer
    }

    private func tick() {
        let now = MonotonicTime.now()
        state.withLock { state in
            settle(&state)
            if state.limits.yieldsToForeground {
                state.watch.look(now: now, own: state.total)
            }
            if now - state.demandsTold >= Self.second * 9 / 20 { tellDemands(&state, now: now) }
            allocate(&state)
        }
    }
}
