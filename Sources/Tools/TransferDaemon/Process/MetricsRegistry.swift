// SPDX-License-Identifier: Apache-2.0
import Metrics
import Synchronization

/// Counters and timings since the start of the daemon, exported in the format of Prometheus.
///
/// Output is produced only on request, so an idle daemon needs no timer for it.
final class MetricsRegistry: MetricsFactory {
    private struct Series: Hashable {
        var name: String
        var labels: String
    }

    /// The metric types of Prometheus that the daemon needs. A summary without quantiles is a count and a sum.
    private enum Value {
        case counter(Int64)
        case gauge(Double)
        case summary(count: Int64, sum: Double)
    }

    private final class Handler: CounterHandler, TimerHandler, RecorderHandler {
        let series: Series
        let registry: MetricsRegistry
        let isGauge: Bool

        init(_ series: Series, _ registry: MetricsRegistry, isGauge: Bool = false) {
            self.series = series
            self.registry = registry
            self.isGauge = isGauge
        }

        func increment(by amount: Int64) {
            registry.change(series) { value in
                guard case .counter(let count) = value ?? .counter(0) else { return value }
                let (sum, didOverflow) = count.addingReportingOverflow(amount)
                return .counter(didOverflow ? .max : sum)
            }
        }

        func reset() { registry.change(series) { _ in .counter(0) } }
        func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
        func record(_ value: Int64) { record(Double(value)) }

        func record(_ value: Double) {
            registry.change(series) { [isGauge] old in
                if isGauge { return .gauge(value) }
                guard case .summary(let count, let sum) = old ?? .summary(count: 0, sum: 0) else { return old }
                return .summary(count: count + 1, sum: sum + value)
            }
        }
    }

    private let values = Mutex<[Series: Value]>([:])

    private func change(_ series: Series, _ body: (Value?) -> Value?) {
        values.withLock { $0[series] = body($0[series]) }
    }

    /// All metrics, in the Prometheus text format 0.0.4.
    var text: String {
        var text = ""
        var last = ""
        for (series, value) in values.withLock({ $0 }).sorted(by: {
            ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels)
        }) {
            let (kind, lines): (String, [(String, String)]) =
                switch value {
                case .counter(let count): ("counter", [("", "\(count)")])
                case .gauge(let value): ("gauge", [("", "\(value)")])
                case .summary(let count, let sum): ("summary", [("_sum", "\(sum)"), ("_count", "\(count)")])
                }
            if series.name != last { text += "# TYPE \(series.name) \(kind)\n" }
            last = series.name
            for (suffix, number) in lines { text += "\(series.name)\(suffix)\(series.labels) \(number)\n" }
        }
        return text
    }

    /// Returns the series of a label, named as Prometheus expects: `transfer.first_byte` becomes
    /// `transfer_first_byte_seconds`, and a counter ends in `_total`.
    private static func series(_ label: String, _ dimensions: [(String, String)], suffix: String) -> Series {
        let name = String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }) + suffix
        let labels = dimensions.sorted { $0.0 < $1.0 }.map { key, value in
            "\(key)=\"\(value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n"))\""
        }
        return Series(name: name, labels: labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}")
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let handler = Handler(Self.series(label, dimensions, suffix: "_total"), self)
        // Prometheus expects a counter to exist, with the value 0, before its first increment.
        handler.increment(by: 0)
        return handler
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Handler(Self.series(label, dimensions, suffix: "_seconds"), self)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Handler(Self.series(label, dimensions, suffix: ""), self, isGauge: !aggregate)
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
}
