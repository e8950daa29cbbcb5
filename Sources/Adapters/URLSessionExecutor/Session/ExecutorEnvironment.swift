// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import LinuxKernel
import Synchronization

/// The state that all attempts of an executor share.
final class ExecutorEnvironment: Sendable {
    let configuration: URLSessionExecutorConfiguration
    /// A Boolean value that indicates whether the URLSession interposer is active. With the interposer, encoded bodies
    /// arrive as the server sent them.
    let isInterposerActive: Bool
    let consumer: ConsumerExecutor
    /// The queue for work that waits for the disk: syncing, hashing a whole file, and renaming.
    let disk = DispatchQueue(label: "transfer.session.disk", attributes: .concurrent)
    let admission: AdmissionControl
    let client: URLSessionClient
    let space: VolumeSpace
    let fileCalls: FileCalls
    private let proxies: ProxyRule
    /// A Boolean value that indicates whether the consumer is waiting for the disk or the rate limit.
    let isStalled = Atomic(false)
    let throttle: Throttle
    /// The end of the consumer's last wait for the disk or the rate limit.
    private let stalledUntil = Atomic<UInt64>(0)

    /// The number of unsynced bytes above which writes wait for the disk.
    static let largestLag: Int64 = 32 << 20
    /// The largest block in which URLSession delivers bytes with the interposer. Without the interposer, the largest
    /// block is 16 KiB.
    static let blockSize = 512 << 10
    /// The size of the buffer that libcurl keeps for each connection. Fast connections fill several before URLSession
    /// receives them as a block.
    static let receiveBufferSize = 256 << 10

    init(
        configuration: URLSessionExecutorConfiguration, isInterposerActive: Bool, fileCalls: FileCalls = FileCalls(),
        consumer: ConsumerExecutor = ConsumerExecutor()
    ) {
        self.configuration = configuration
        self.consumer = consumer
        self.fileCalls = fileCalls
        self.isInterposerActive = isInterposerActive
        proxies = ProxyRule(explicit: configuration.proxy)
        // Bounds the blocks in memory to 4 MiB with the interposer, and to 1 MiB without.
        admission = AdmissionControl(limit: isInterposerActive ? 8 : 64)
        throttle = Throttle(
            limits: configuration.limits, isInterposerActive: isInterposerActive,
            interfaces: configuration.foregroundInterfaces)
        client = URLSessionClient(consumer: consumer, admission: admission, throttle: throttle)
        space = VolumeSpace(
            floorBytes: configuration.storageFloorBytes, floorPercent: configuration.storageFloorPercent)
    }

    /// Waits as long as the limits demand after `count` received bytes. Returns immediately if the interposer limits
    /// the connections, or while a stop is in progress.
    func pace(_ count: Int, _ rateLimiter: RateLimiter?) {
        // Waits shorter than a few milliseconds are accumulated. A sleep for each packet would cost more time than
        // the sleep distributes.
        if let end = wait(for: count, rateLimiter, atLeast: 4_000_000) { stalledUntil.store(end, ordering: .relaxed) }
    }

    /// Waits as long as the limits demand after `count` bytes to be sent. Runs on URLSession's own queue and blocks
    /// that queue.
    func paceUpload(_ count: Int, _ rateLimiter: RateLimiter?) { _ = wait(for: count, rateLimiter, atLeast: 0) }

    /// Waits until the limits allow more bytes after `count` bytes.
    ///
    /// - Returns: The time at which the wait ended, or `nil` if the wait would have lasted `shortest` nanoseconds or
    ///   less.
    private func wait(for count: Int, _ rateLimiter: RateLimiter?, atLeast shortest: UInt64) -> UInt64? {
        guard !isInterposerActive, let rateLimiter else { return nil }
        let due = throttle.record(count, rateLimiter)
        var now = MonotonicTime.now()
        guard due > now + shortest else { return nil }
        isStalled.store(true, ordering: .relaxed)
        defer { isStalled.store(false, ordering: .relaxed) }
        while now < due, !admission.isBypassed {
            admission.pause(nanoseconds: min(due - now, RateDebt.longestCredit))
            now = MonotonicTime.now()
        }
        return now
    }

    /// Waits while the number of unsynced bytes exceeds the limit.
    func waitForDisk(_ file: PartialFile, written: Int64) {
        guard written - file.durable.count > Self.largestLag else { return }
        isStalled.store(true, ordering: .relaxed)
        defer { isStalled.store(false, ordering: .relaxed) }
        while written - file.durable.count > Self.largestLag, !admission.isBypassed {
            if file.waitForSync(seconds: 0.05) { break }
        }
        stalledUntil.store(MonotonicTime.now(), ordering: .relaxed)
    }

    /// Returns the host and port of the proxy for requests to the URL, or `nil` if there is no proxy.
    func proxy(for url: String) -> String? {
        let reference = URLReference(url)
        return proxies.proxy(scheme: reference.scheme ?? "", host: reference.host)
            .map { URLReference($0.contains("://") ? $0 : "http://" + $0).hostAndPort }
    }

    /// Returns the time since `activity` in nanoseconds, without the time during which this process itself delayed
    /// the network.
    func idleTime(since activity: UInt64, now: UInt64, _ rateLimiter: RateLimiter?) -> UInt64 {
        let start = max(activity, stalledUntil.load(ordering: .relaxed), rateLimiter?.lastDelayEnd ?? 0)
        return now > start ? now - start : 0
    }
}
