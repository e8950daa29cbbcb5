// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import HTTPSyntax
import LinuxKernel
import Synchronization

/// The state that all attempts of an executor share.
final class ExecutorEnvironment: Sendable {
    let configuration: HTTPExecutorConfiguration
    let consumer: ConsumerExecutor
    /// The queue for work that waits for the disk: syncing, hashing a whole file, and renaming.
    let disk = DispatchQueue(label: "transfer.session.disk", attributes: .concurrent)
    let admission: AdmissionControl
    let client: any TransportClient
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
    /// The number of bytes that may wait in memory for a file to be opened.
    static let largestWaiting = 512 << 10

    init(
        configuration: HTTPExecutorConfiguration, transport: Transport, fileCalls: FileCalls = FileCalls(),
        consumer: ConsumerExecutor = ConsumerExecutor()
    ) throws(HTTPExecutorError) {
        self.configuration = configuration
        self.consumer = consumer
        self.fileCalls = fileCalls
        proxies = ProxyRule(explicit: configuration.proxy)
        // URLSession delivers blocks of 16 KiB, so at most 1 MiB is in memory.
        admission = AdmissionControl(limit: 64)
        client = try transport.makeClient(
            TransportSurroundings(configuration: configuration, consumer: consumer, admission: admission))
        throttle = Throttle(
            limits: configuration.limits, client: client, interfaces: configuration.foregroundInterfaces)
        space = VolumeSpace(
            floorBytes: configuration.storageFloorBytes, floorPercent: configuration.storageFloorPercent)
    }

    /// Sends a request as soon as the limits of the rate limiter allow.
    ///
    /// Reports all events of the request to `receiver`. The last event is exactly one `endedWith`. A `body` is sent
    /// unchanged, with the length of the request's `Content-Length` field. A request that fails its `check` is not sent.
    func send(
        _ request: RequestHead, body: UploadBody? = nil, timeoutSeconds: Int, rateLimiter: RateLimiter? = nil,
        check: AddressCheck? = nil, to receiver: any ExchangeReceiver
    ) -> Exchange {
        let request = TransportRequest(
            head: request, timeoutSeconds: timeoutSeconds, notBefore: rateLimiter.map(throttle.timeOfNextRequest) ?? 0,
            check: check)
        let exchange = Exchange(request, body: body, rateLimiter: rateLimiter, for: receiver)
        client.send(exchange)
        return exchange
    }

    /// Cancels the request. Its `endedWith` follows.
    func cancel(_ exchange: Exchange) {
        if exchange.markCancelled() { client.cancel(exchange) }
    }

    /// Waits as long as the limits demand after `count` received bytes. Returns immediately if the transport limits
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
        guard !client.controlsConnections, let rateLimiter else { return nil }
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
