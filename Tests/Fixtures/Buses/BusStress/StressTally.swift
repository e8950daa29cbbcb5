// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The results of all clients: call times, failures, and crossings into other apps' transfers.
final class StressTally: Sendable {
    private struct State {
        var times: [Duration] = []
        var failures: [String] = []
        var crossings: [String] = []
    }

    private let state = Mutex(State())

    func record(_ time: Duration) { state.withLock { $0.times.append(time) } }
    func fail(_ text: String) { state.withLock { $0.failures.append(text) } }
    func cross(_ text: String) { state.withLock { $0.crossings.append(text) } }

    var failures: [String] { state.withLock { $0.failures } }
    var crossings: [String] { state.withLock { $0.crossings } }
    var calls: Int { state.withLock { $0.times.count } }

    /// Returns a percentile of the call times in milliseconds.
    ///
    /// - Parameter share: The percentile as a fraction, such as 0.99.
    func milliseconds(at share: Double) -> Double {
        let times = state.withLock { $0.times }.sorted()
        guard !times.isEmpty else { return 0 }
        let time = times[min(times.count - 1, Int(Double(times.count) * share))]
        return Double(time.components.attoseconds) / 1e15 + Double(time.components.seconds) * 1000
    }
}
