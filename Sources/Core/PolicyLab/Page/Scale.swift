// SPDX-License-Identifier: Apache-2.0

/// A mapping from values to coordinates, with round values for the labels.
struct Scale {
    let range: ClosedRange<Double>
    let positions: (from: Double, to: Double)
    let ticks: [Double]

    /// Creates a scale from 0 to at least `largest`.
    init(to largest: Double, positions: (from: Double, to: Double), count: Double = 5) {
        let top = largest > 0 && largest.isFinite ? largest : 1
        var step = 1.0
        while step > top / count { step /= 10 }
        while step * 10 <= top / count { step *= 10 }
        step = [1, 2, 5, 10].map { $0 * step }.first { top / $0 <= count } ?? step * 10
        let steps = (top / step).rounded(.up)
        range = 0...(steps * step)
        self.positions = positions
        ticks = (0...Int(steps)).map { Double($0) * step }
    }

    func callAsFunction(_ value: Double) -> Double {
        let share = (min(max(value, range.lowerBound), range.upperBound) - range.lowerBound)
        return positions.from + share / (range.upperBound - range.lowerBound) * (positions.to - positions.from)
    }

    /// Returns the label of a tick, with as many digits as the distance between ticks requires.
    func text(_ tick: Double) -> String {
        let step = ticks.count > 1 ? ticks[1] - ticks[0] : 1
        return Decimal.text(tick, digits: step >= 1 ? 0 : step >= 0.1 ? 1 : step >= 0.01 ? 2 : 3)
    }
}
