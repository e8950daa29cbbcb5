// SPDX-License-Identifier: Apache-2.0
import Metrics
import Synchronization

/// A metrics backend that keeps all values by label and dimensions.
final class MemoryMetrics: MetricsFactory {
    private final class Handler: CounterHandler, TimerHandler, RecorderHandler {
        let name: String
        let metrics: MemoryMetrics

        init(_ name: String, _ metrics: MemoryMetrics) {
            self.name = name
            self.metrics = metrics
        }

        func increment(by amount: Int64) { metrics.append(name, amount) }
        func reset() {}
        func recordNanoseconds(_ duration: Int64) { metrics.append(name, duration) }
        func record(_ value: Int64) { metrics.append(name, value) }
        func record(_ value: Double) { metrics.append(name, Int64(value)) }
    }

    private let state = Mutex<[String: [Int64]]>([:])
    private let made = Mutex<[String]>([])

    /// The recorded values, in order, by name.
    var values: [String: [Int64]] { state.withLock { $0 } }
    /// The sums of the recorded values, by name.
    var sums: [String: Int64] { values.mapValues { $0.reduce(0, +) } }
    /// The names of the created handlers, in order.
    var names: [String] { made.withLock { $0 } }

    private func append(_ name: String, _ value: Int64) { state.withLock { $0[name, default: []].append(value) } }

    private func make(_ label: String, _ dimensions: [(String, String)]) -> Handler {
        let name = ([label] + dimensions.map { "\($0.0)=\($0.1)" }).joined(separator: " ")
        made.withLock { $0.append(name) }
        return Handler(name, self)
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { make(label, dimensions) }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { make(label, dimensions) }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        make(label, dimensions)
    }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
}
