// SPDX-License-Identifier: Apache-2.0
internal import RealModule

/// The logarithmic axis of delays.
struct DelayAxis {
    private static let day = 86_400.0
    private static let marks: [(seconds: Double, text: String)] = [
        (10, "10 s"), (60, "1 min"), (600, "10 min"), (3600, "1 h"), (6 * 3600, "6 h"), (day, "1 d"),
        (2 * day, "2 d"), (7 * day, "7 d"), (30 * day, "30 d"), (90 * day, "90 d"), (365 * day, "1 y"),
        (1000 * day, "1000 d"), (10_000 * day, "10,000 d"), (100_000 * day, "100,000 d"),
    ]

    let marks: [(seconds: Double, text: String)]
    private let last: Double

    /// Creates an axis that reaches at least to `longest`, in seconds.
    init(to longest: Double) {
        let count = (Self.marks.firstIndex { $0.seconds >= longest } ?? Self.marks.count - 1) + 1
        marks = Array(Self.marks.prefix(max(2, count)))
        last = marks[marks.count - 1].seconds
    }

    /// Returns the position of a delay, in percent.
    func callAsFunction(_ seconds: Double) -> Double {
        Double.log(max(10, min(seconds, last)) / 10) / Double.log(last / 10) * 100
    }

    /// The marks with their positions. The first mark stands for all shorter delays.
    var labels: [(x: Double, text: String)] {
        marks.enumerated().map { (self($1.seconds), $0 == 0 ? "≤ \($1.text)" : $1.text) }
    }
}
