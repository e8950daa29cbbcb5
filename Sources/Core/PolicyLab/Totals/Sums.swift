// SPDX-License-Identifier: Apache-2.0

/// Sums of whole numbers under fixed names. Addition does not round, so that a sum does not depend on the order or the
/// grouping of its parts.
package struct Sums<Measure: SumMeasure>: Hashable, Sendable {
    private var values = [Int128](repeating: 0, count: Measure.allCases.count)

    package init() {}

    package subscript(_ measure: Measure) -> Int128 {
        get { values[measure.rawValue] }
        set { values[measure.rawValue] = newValue }
    }

    /// Returns a sum of billionths in whole units.
    func units(_ measure: Measure) -> Double { Amount(nanobytes: self[measure]).bytes }

    package static func += (left: inout Self, right: Self) {
        for index in left.values.indices { left.values[index] += right.values[index] }
    }
}

/// The names of sums. The raw values count from 0.
package protocol SumMeasure: RawRepresentable<Int>, CaseIterable, Hashable, Sendable {
    /// The names of all cases, in their order.
    static var names: [String] { get }
}

extension Sums: Codable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    /// The largest number that a part may state. A hundred thousand parts cannot overflow the sum.
    private static var limit: Int128 { 1_000_000_000_000_000_000_000_000_000_000_000 }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        for (index, name) in Measure.names.enumerated() {
            let key = Name(stringValue: name)
            let value = try container.decode(Int128.self, forKey: key)
            guard value.magnitude <= Self.limit.magnitude else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container, debugDescription: "'\(name)' is too large")
            }
            values[index] = value
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (name, value) in zip(Measure.names, values) {
            try container.encode(value, forKey: Name(stringValue: name))
        }
    }
}

extension Int128 {
    /// Creates a number of whole billionths from a number of units. A number that is not finite becomes 0.
    init(billionthsOf units: Double) {
        guard units.isFinite, units.magnitude < 1e24 else {
            self = 0
            return
        }
        // The whole units are converted separately, because all billionths of a large number do not fit in a `Double`.
        let whole = units.rounded(.towardZero)
        self = Int128(whole) * 1_000_000_000 + Int128(((units - whole) * 1e9).rounded())
    }
}
