// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import LinuxKernel
import Synchronization

/// What all attempts of an executor share.
final class ExecutorEnvironment: Sendable {
    let configuration: URLSessionExecutorConfiguration
    /// Whether encoded bodies arrive as they were sent.
    let isRepaired: Bool
    let consumer = ConsumerExecutor()
    /// What waits for the disk: syncing, hashing a whole file, renaming.
    let disk = DispatchQueue(label: "transfer.session.disk", attributes: .concurrent)
    let gate: Gate
    let client: SessionClient
    let space: VolumeSpace
    let fileCalls: FileCalls
    private let proxies: ProxyRule
    /// Whether the consumer waits for the disk or the rate limit.
    let isHeldUp = Atomic(false)
    let throttle: Throttle
    /// When the consumer last stopped waiting for either.
    private let stalledUntil = Atomic<UInt64>(0)

    /// Unsynced bytes at which writing waits for the disk.
    static let largestLag: Int64 = 32 << 20
    /// The largest block of bytes that URLSession hands on with the repair; without, it is 16 KiB.
    static let blockSize = 256 << 10

    init(configuration: URLSessionExecutorConfiguration, isRepaired: Bool, fileCalls: FileCalls = FileCalls()) {
        self.configuration = configuration
        self.fileCalls = fileCalls
        self.isRepaired = isRepaired
        proxies = ProxyRule(explicit: configuration.proxy)
        // At most 8 MiB in memory with the repair, 1 MiB without.
        gate = Gate(limit: isRepaired ? 32 : 64)
        throttle = Throttle(
            limits: configuration.limits, isRepaired: isRepaired, interfaces: configuration.foregroundInterfaces)
        client = SessionClient(consumer: consumer, gate: gate, throttle: throttle)
        space = VolumeSpace(
            floorBytes: configuration.storageFloorBytes, floorPercent: configuration.storageFloorPercent)
    }

    /// Waits as the limits want after that many bytes, where the repair does not hold connections; not while somebody is
    /// in a hurry.
    func pace(_ count: Int, _ lane: RateLane?) {
        // Waits below some milliseconds are gathered: a sleep for each packet would cost more than it spreads.
        if let end = wait(for: count, lane, atLeast: 4_000_000) { stalledUntil.store(end, ordering: .relaxed) }
    }

    /// The same for bytes to be sent, on URLSession's own queue, which it holds up.
    func paceUpload(_ count: Int, _ lane: RateLane?) { _ = wait(for: count, lane, atLeast: 0) }

    /// Waits until the limits allow more after that many bytes; returns when that was, nil where there was less to wait
    /// for than so many nanoseconds.
    private func wait(for count: Int, _ lane: RateLane?, atLeast shortest: UInt64) -> UInt64? {
        guard !isRepaired, let lane else { return nil }
        let due = throttle.take(count, lane)
        var now = MonotonicTime.now()
        guard due > now + shortest else { return nil }
        isHeldUp.store(true, ordering: .relaxed)
        defer { isHeldUp.store(false, ordering: .relaxed) }
        while now < due, !gate.isHurried {
            gate.pause(nanoseconds: min(due - now, RateBucket.longestCredit))
            now = MonotonicTime.now()
        }
        return now
    }

    /// Waits while the disk is too far behind.
    func waitForDisk(_ file: PartialFile, written: Int64) {
        guard written - file.durable.count > Self.largestLag else { return }
        isHeldUp.store(true, ordering: .relaxed)
        defer { isHeldUp.store(false, ordering: .relaxed) }
        while written - file.durable.count > Self.largestLag, !gate.isHurried {
            if file.waitForSync(seconds: 0.05) { break }
        }
        stalledUntil.store(MonotonicTime.now(), ordering: .relaxed)
    }

    /// Host and port of the proxy that requests to that URL go through; nil where there is none.
    func proxy(for url: String) -> String? {
        let reference = URLReference(url)
        return proxies.proxy(scheme: reference.scheme ?? "", host: reference.host)
            .map { URLReference($0.contains("://") ? $0 : "http://" + $0).hostAndPort }
    }

    /// The time since `activity` in which we did not hold the network up ourselves.
    func idleTime(since activity: UInt64, now: UInt64, _ lane: RateLane?) -> UInt64 {
        let start = max(activity, stalledUntil.load(ordering: .relaxed), lane?.lastHeld ?? 0)
        return now > start ? now - start : 0
    }
}
