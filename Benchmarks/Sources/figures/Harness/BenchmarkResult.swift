// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A value from one or more rounds, with the smallest and the largest.
struct Spread {
    /// The statistic that counts, usually the median.
    var value: Double
    var minimum: Double
    var maximum: Double
    var rounds: Int

    /// Creates the median of the rounds, or `nil` if there are none.
    init?(_ rounds: [Double]) {
        self.init(rounds, at: 0.5)
        value = rounds.median
    }

    /// Creates a quantile of the rounds by the nearest rank, or `nil` if there are none.
    ///
    /// - Parameter share: The share of the rounds that are not above the quantile, 0…1.
    init?(_ rounds: [Double], at share: Double) {
        let sorted = rounds.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        value = sorted[max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1)]
        (minimum, maximum, self.rounds) = (first, last, sorted.count)
    }

    /// Creates a value that was measured once.
    init(_ value: Double) { (self.value, minimum, maximum, rounds) = (value, value, value, 1) }

    /// Returns the spread with every number changed by a function that keeps their order.
    func map(_ change: (Double) -> Double) -> Spread {
        var changed = self
        (changed.value, changed.minimum, changed.maximum) = (change(value), change(minimum), change(maximum))
        return changed
    }

    /// The value with its smallest and largest; the value alone if it was measured once.
    var text: String {
        let text = String(format: "%.3f", value)
        return rounds > 1 ? text + String(format: " [%.3f…%.3f]", minimum, maximum) : text
    }
}

/// A measured value and its ratio to a peer's value. Lower is better, unless ``lowerBar`` is set.
struct BenchmarkResult {
    var name: String
    /// Our value; `nil` if it was not measured.
    var ours: Spread?
    var unit: String
    /// The name of the peer; `nil` if our value stands alone.
    var peer: String?
    /// The peer's value; `nil` if the peer is not installed.
    var theirs: Spread?
    /// The highest acceptable ratio or value; `nil` for no bar.
    var bar: Double?
    /// The name of the statistic.
    var statistic = "median"
    /// Whether the bar applies to our value itself rather than to the ratio.
    var isBarAbsolute = false
    /// The lowest acceptable ratio or value; `nil` if only the upper bar counts.
    var lowerBar: Double?

    /// Our value divided by the peer's value; `nil` if either value is missing or the peer's value is 0.
    var ratio: Double? {
        guard let ours = ours?.value, let theirs = theirs?.value, theirs > 0 else { return nil }
        return ours / theirs
    }

    /// Whether the result satisfies the bars; `nil` without a bar. A result that was not measured does not satisfy
    /// its bar.
    var isBarMet: Bool? {
        guard let bar else { return nil }
        return (isBarAbsolute ? ours?.value : ratio).map { $0 <= bar && $0 >= lowerBar ?? -.infinity } ?? false
    }

    var text: String {
        var text = "\(name)  ours "
        text += ours.map { "\($0.text) \(unit)" } ?? "not measured"
        if let peer { text += "  \(peer)" + (theirs.map { " \($0.text)" } ?? ": not measured") }
        if let ratio { text += String(format: ratio < 0.01 ? "  ratio %.2g" : "  ratio %.2f", ratio) }
        if let bar, let isBarMet {
            text += "  bar " + (lowerBar.map { String(format: "%g to ", $0) } ?? "")
            text += String(format: "%g %@", bar, isBarMet ? "met" : "MISSED")
        }
        let rounds = ours?.rounds ?? 0
        return text + (rounds == 1 ? "  (1 round)" : "  (\(statistic) [least…most] of \(rounds) rounds)")
    }

    var json: String {
        var object: [String: Any] = [
            "name": name, "unit": unit, "statistic": statistic, "rounds": ours?.rounds ?? 0,
            "date": ISO8601DateFormatter().string(from: Date()),
        ]
        object["peer"] = peer.map { $0 as Any } ?? NSNull()
        object["bar"] = bar.map { $0 as Any } ?? NSNull()
        if let lowerBar { object["lowerBar"] = lowerBar }
        object["withinBar"] = isBarMet.map { $0 as Any } ?? NSNull()
        for (side, spread) in [("ours", ours), ("theirs", theirs)] {
            object[side] = spread.map { $0.value as Any } ?? NSNull()
            if let spread, spread.rounds > 1 {
                object[side + "Least"] = spread.minimum
                object[side + "Most"] = spread.maximum
            }
        }
        object["ratio"] = ratio.map { $0 as Any } ?? NSNull()
        let data = (try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }
}
