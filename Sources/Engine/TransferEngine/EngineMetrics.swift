// SPDX-License-Identifier: Apache-2.0
import Metrics
internal import TransferModel

/// The counters and timers of an engine, reported through swift-metrics.
///
/// | label | kind | unit | dimensions |
/// |---|---|---|---|
/// | `transfer.received` | counter | bytes | |
/// | `transfer.sent` | counter | bytes | |
/// | `transfer.attempts` | counter | started attempts | |
/// | `transfer.retries` | counter | failed attempts that are retried | `cause`: `FailureCause.code`, or the HTTP status, as in `status503` |
/// | `transfer.endings` | counter | transfers | `result`: `finished`, `refused` (a response with status 400 or above), `failed`, `cancelled` |
/// | `transfer.first_byte` | timer | nanoseconds from an attempt's first request to the head of its first response | |
///
/// Bytes are the bytes of bodies that executors report during an attempt. Bytes that a crash leaves unreported are
/// not counted. Bytes that a crash leaves unsynced are counted again when they are fetched again. Transfers that end
/// before the first snapshot of the machine's conditions are not counted.
///
/// Each event costs one call to the backend. Without a backend, the cost is negligible.
struct EngineMetrics {
    private let factory: any MetricsFactory
    private let receivedBytes: Counter
    private let sentBytes: Counter
    private let attempts: Counter
    private let firstByte: Timer
    /// Created on first use and kept, because creating a counter is expensive in some backends.
    private var retriesByCause: [String: Counter] = [:]
    private var endingsByResult: [String: Counter] = [:]

    init(factory: any MetricsFactory) {
        self.factory = factory
        receivedBytes = Counter(label: "transfer.received", dimensions: [], factory: factory)
        sentBytes = Counter(label: "transfer.sent", dimensions: [], factory: factory)
        attempts = Counter(label: "transfer.attempts", dimensions: [], factory: factory)
        firstByte = Timer(label: "transfer.first_byte", dimensions: [], factory: factory)
    }

    /// Counts the start of an attempt.
    func started() { attempts.increment() }

    /// Adds received bytes that were not reported before.
    func received(_ bytes: Int64) { receivedBytes.increment(by: bytes) }

    /// Adds sent bytes that were not reported before.
    func sent(_ bytes: Int64) { sentBytes.increment(by: bytes) }

    /// Records the time to the first byte of an attempt.
    func responded(after delay: Duration) { firstByte.recordNanoseconds(max(0, delay.wholeNanoseconds)) }

    /// Counts a failed attempt that is retried.
    mutating func retries(after cause: FailureCause) {
        count("transfer.retries", ("cause", cause.label), in: &retriesByCause)
    }

    /// Counts the end of a transfer.
    mutating func ended(_ ending: TransferEnding) {
        let result =
            switch ending {
            case .completed(let completion, _): completion.status < 400 ? "finished" : "refused"
            case .failed: "failed"
            case .cancelled: "cancelled"
            }
        count("transfer.endings", ("result", result), in: &endingsByResult)
    }

    private func count(_ label: String, _ dimension: (String, String), in counters: inout [String: Counter]) {
        let counter = counters[dimension.1] ?? Counter(label: label, dimensions: [dimension], factory: factory)
        counters[dimension.1] = counter
        counter.increment()
    }
}

extension FailureCause {
    fileprivate var label: String { if case .status(let status) = self { "status\(status)" } else { code } }
}
