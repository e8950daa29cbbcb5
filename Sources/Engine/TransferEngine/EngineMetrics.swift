// SPDX-License-Identifier: Apache-2.0
import Metrics
internal import TransferModel

/// What an engine counts and times for whoever watches it, through swift-metrics.
///
/// | label | kind | unit | dimensions |
/// |---|---|---|---|
/// | `transfer.received` | counter | bytes | |
/// | `transfer.sent` | counter | bytes | |
/// | `transfer.attempts` | counter | attempts begun | |
/// | `transfer.retries` | counter | failed attempts that another one follows | `cause`: `FailureCause.code`, of a status with its number as in `status503` |
/// | `transfer.endings` | counter | transfers | `result`: `finished`, `refused` (an answer of 400 or above), `failed`, `cancelled` |
/// | `transfer.first_byte` | timer | nanoseconds from an attempt's first request to the head of its first answer | |
///
/// Bytes are those of bodies that executors report as they go: what a crash leaves unreported is not among them, and what
/// it leaves unsynced is counted again when it is fetched again. Transfers that end before the first look at the machine
/// are not counted. Each costs one call of the backend; without a backend, next to nothing.
struct EngineMetrics {
    private let factory: any MetricsFactory
    private let receivedBytes: Counter
    private let sentBytes: Counter
    private let attempts: Counter
    private let firstByte: Timer
    /// Made when first needed, and kept: making one is dear in some backends.
    private var retriesByCause: [String: Counter] = [:]
    private var endingsByResult: [String: Counter] = [:]

    init(factory: any MetricsFactory) {
        self.factory = factory
        receivedBytes = Counter(label: "transfer.received", dimensions: [], factory: factory)
        sentBytes = Counter(label: "transfer.sent", dimensions: [], factory: factory)
        attempts = Counter(label: "transfer.attempts", dimensions: [], factory: factory)
        firstByte = Timer(label: "transfer.first_byte", dimensions: [], factory: factory)
    }

    /// An attempt began.
    func started() { attempts.increment() }

    /// So many bytes came that had not been told before.
    func received(_ bytes: Int64) { receivedBytes.increment(by: bytes) }

    /// So many bytes were sent that had not been told before.
    func sent(_ bytes: Int64) { sentBytes.increment(by: bytes) }

    /// The first answer of an attempt came.
    func answered(after delay: Duration) { firstByte.recordNanoseconds(max(0, delay.wholeNanoseconds)) }

    /// An attempt failed, and another one follows.
    mutating func retries(after cause: FailureCause) {
        count("transfer.retries", ("cause", cause.label), in: &retriesByCause)
    }

    /// A transfer is over.
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
