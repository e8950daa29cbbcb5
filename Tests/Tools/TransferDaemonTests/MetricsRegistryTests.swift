// SPDX-License-Identifier: Apache-2.0
import Logging
import Metrics
import Testing

@testable import TransferDaemon

@Suite struct MetricsRegistryTests {
    @Test("Counters, timers, and gauges are written in the Prometheus format, in a fixed order")
    func text() {
        let registry = MetricsRegistry()
        Counter(label: "transfer.endings", dimensions: [("result", "failed")], factory: registry).increment(by: 2)
        Counter(label: "transfer.endings", dimensions: [("result", "a \"b\"\\")], factory: registry).increment()
        let timer = Timer(label: "transfer.first_byte", dimensions: [], factory: registry)
        timer.recordNanoseconds(1_500_000_000)
        timer.recordNanoseconds(500_000_000)
        Gauge(label: "open", dimensions: [], factory: registry).record(3)
        #expect(
            registry.text == """
                # TYPE open gauge
                open 3.0
                # TYPE transfer_endings_total counter
                transfer_endings_total{result="a \\"b\\"\\\\"} 1
                transfer_endings_total{result="failed"} 2
                # TYPE transfer_first_byte_seconds summary
                transfer_first_byte_seconds_sum 2.0
                transfer_first_byte_seconds_count 2

                """)
    }

    @Test("A counter exists before its first increment, and saturates")
    func counter() {
        let registry = MetricsRegistry()
        let counter = Counter(label: "c", dimensions: [], factory: registry)
        #expect(registry.text.contains("c_total 0\n"))
        counter.increment(by: Int64.max)
        counter.increment()
        #expect(registry.text.contains("c_total \(Int64.max)\n"))
    }

    @Test("A journal entry has a priority and is a single line")
    func journal() {
        let line = JournalLogHandler.line(.error, "could not\nsave", ["why": "x\r\ny", "id": "7"])
        #expect(line == "<3>could not save id=7 why=x y")
        #expect(JournalLogHandler.line(.info, "m", [:]) == "<6>m")
        #expect(JournalLogHandler.line(.info, "m", ["app": "\u{1B}[2J\u{202E}"]) == "<6>m app=\u{FFFD}[2J\u{FFFD}")
    }
}
