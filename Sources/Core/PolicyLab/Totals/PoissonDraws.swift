// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

/// Confidence intervals over devices that never are in memory together: the Poisson bootstrap.
///
/// Each draw gives each device a weight with the mean 1, instead of choosing devices with replacement. A weight
/// depends only on the device's name and the seed. The draws of parts therefore add up, and the result does not depend
/// on the order or the grouping of devices. All policies share the weights, so that they can be compared.
///
/// Source: Chamandy, Muralidharan, Najmi, Naidu, "Estimating Uncertainty for Massive Data Streams", Google, 2012.
struct PoissonDraws: Hashable, Sendable {
    /// The number of draws.
    static let count = 1000

    private let seed: UInt64
    private let columns: Int
    /// The weighted sums, draw by draw.
    private var sums: [Int128]

    /// Creates draws of no device.
    ///
    /// - Parameter columns: The number of values of a device.
    init(columns: Int, seed: UInt64) {
        (self.columns, self.seed) = (columns, seed)
        sums = Array(repeating: 0, count: columns * Self.count)
    }

    /// Adds a device.
    mutating func add(_ device: StableHash, _ values: [Int128]) {
        precondition(values.count == columns)
        var generator = SplitMix64(seed: device.value ^ seed)
        for draw in 0..<Self.count {
            let weight = Self.weight(generator.next())
            guard weight > 0 else { continue }
            for column in 0..<columns {
                sums[draw * columns + column] += weight == 1 ? values[column] : values[column] * Int128(weight)
            }
        }
    }

    /// Returns whether other draws have the same seed and number of values.
    func hasShape(of other: PoissonDraws?) -> Bool { seed == other?.seed && columns == other?.columns }

    /// Adds the draws of other devices, which have the same seed.
    mutating func merge(_ other: PoissonDraws) {
        for index in sums.indices { sums[index] += other.sums[index] }
    }

    /// Returns the middle 95 % of a statistic over all draws; `nil` if no draw has one.
    ///
    /// - Parameter statistic: Computes the statistic from the weighted sums of a draw.
    func interval(_ statistic: (ArraySlice<Int128>) -> Double?) -> ClosedRange<Double>? {
        let values = (0..<Self.count).compactMap { draw in
            statistic(sums[draw * columns..<(draw + 1) * columns])
        }.sorted()
        guard let first = Summary.quantile(values, 0.025), let last = Summary.quantile(values, 0.975) else {
            return nil
        }
        return first...last
    }

    /// The bounds of 64-bit numbers below which a weight is 0, 1, 2, …: the distribution function of Poisson(1).
    private static let bounds: [UInt64] = {
        var (term, sum, bounds) = (0.367_879_441_171_442_33, 0.0, [UInt64]())
        for weight in 0..<16 {
            sum += term
            bounds.append(sum >= 1 ? .max : UInt64(sum * 0x1p64))
            term /= Double(weight + 1)
        }
        return bounds
    }()

    private static func weight(_ random: UInt64) -> Int {
        var weight = 0
        while weight < bounds.count, random >= bounds[weight] { weight += 1 }
        return weight
    }
}

extension PoissonDraws: Codable {
    private enum CodingKeys: String, CodingKey {
        case seed, columns, sums
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let columns = try container.decode(Int.self, forKey: .columns)
        guard (1...10_000).contains(columns),
            let sums = [Int128](packed: try container.decode(String.self, forKey: .sums)),
            sums.count == columns * Self.count, sums.allSatisfy({ $0.magnitude < 1 << 110 })
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .sums, in: container, debugDescription: "'sums' is not \(Self.count) draws")
        }
        (self.seed, self.columns, self.sums) = (try container.decode(UInt64.self, forKey: .seed), columns, sums)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(seed, forKey: .seed)
        try container.encode(columns, forKey: .columns)
        try container.encode(sums.packed, forKey: .sums)
    }
}
