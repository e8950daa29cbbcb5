// SPDX-License-Identifier: Apache-2.0

/// The labels of an axis that do not overlap.
struct AxisLabels {
    private let labels: [(x: Double, text: String)]
    private let width: Double
    private let margin: Double

    /// Creates the labels of an axis.
    ///
    /// - Parameters:
    ///   - labels: The labels with their positions in percent, in ascending order.
    ///   - width: The length of the axis in pixels.
    ///   - margin: The free space to the left of the axis, in pixels.
    init(_ labels: [(x: Double, text: String)], width: Double, margin: Double = 40) {
        (self.labels, self.width, self.margin) = (labels, width, margin)
    }

    /// The indices of the labels that fit next to each other, in ascending order. The last label is always among them.
    var fitting: [Int] {
        var kept: [Int] = []
        for index in labels.indices.reversed() {
            guard let next = kept.last else {
                kept.append(index)
                continue
            }
            if end(index) + 8 <= start(next) { kept.append(index) }
        }
        return kept.reversed()
    }

    /// Returns whether a label begins at its position, because it would reach beyond the margin otherwise.
    func isShifted(_ index: Int) -> Bool { position(index) - length(index) / 2 < -margin }

    private func position(_ index: Int) -> Double { labels[index].x / 100 * width }
    /// A digit of the 12 px font is about 7 px wide.
    private func length(_ index: Int) -> Double { Double(labels[index].text.count) * 7 }

    private func start(_ index: Int) -> Double {
        isShifted(index) ? position(index) : position(index) - length(index) / 2
    }

    private func end(_ index: Int) -> Double { start(index) + length(index) }
}
