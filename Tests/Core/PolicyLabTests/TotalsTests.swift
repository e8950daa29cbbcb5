// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferPolicy

@testable import PolicyLab

@Suite("Totals of many devices") struct TotalsTests {
    /// Values over nine orders of magnitude, as delays have.
    private static func values(_ count: Int, seed: UInt64) -> [Int64] {
        var generator = SplitMix64(seed: seed)
        return (0..<count).map { _ in Int64(Foundation.exp(Double.random(in: 0...30, using: &generator))) }
    }

    @Test("Quantiles are exact up to the limit, and within 1 % beyond")
    func quantiles() {
        let values = Self.values(20_000, seed: 3)
        var (exact, counted) = (ValueDistribution(), ValueDistribution(exactLimit: 100))
        for value in values {
            exact.add(value)
            counted.add(value)
        }
        let sorted = values.sorted()
        #expect(exact.isExact && !counted.isExact)
        #expect(counted.maximum == Double(sorted[sorted.count - 1]) / 1e9)
        for share in [0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.9999, 1] {
            let truth = Double(sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]) / 1e9
            #expect(exact.quantile(share) == truth)
            let found = counted.quantile(share) ?? .nan
            #expect((found - truth).magnitude <= truth * 0.010_001, "\(share): \(found) instead of \(truth)")
        }
        #expect(ValueDistribution().quantile(0.5) == nil && ValueDistribution().maximum == nil)
    }

    @Test("Values of 0, below 0, and of the greatest size count")
    func extremes() {
        var distribution = ValueDistribution(exactLimit: 2)
        for value in [-5, 0, 0, 1, Int64.max] { distribution.add(value) }
        #expect(!distribution.isExact && distribution.count == 5)
        #expect(distribution.quantile(0.5) == 0)
        let last = distribution.quantile(1) ?? 0
        #expect((last * 1e9 / Double(Int64.max) - 1).magnitude <= 0.01)
    }

    @Test("A merge gives the same in any order and grouping", arguments: [10, 3000, 9000])
    func merging(count: Int) throws {
        let values = Self.values(count, seed: 4)
        func distribution(_ values: some Sequence<Int64>) -> ValueDistribution {
            var distribution = ValueDistribution(exactLimit: ValueDistribution.partLimit)
            for value in values { distribution.add(value) }
            return distribution
        }
        func text(_ distribution: ValueDistribution) throws -> Data {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try encoder.encode(distribution)
        }
        let whole = try text(distribution(values))
        for pieces in [2, 7, 100] {
            let parts = (0..<pieces).map { piece in
                distribution(values.enumerated().filter { $0.offset % pieces == piece }.map(\.element))
            }
            var (forward, backward) = (distribution([]), distribution([]))
            for part in parts { forward.merge(part) }
            for part in parts.reversed() {
                backward.merge(try JSONDecoder().decode(ValueDistribution.self, from: text(part)))
            }
            #expect(try text(forward) == whole)
            #expect(try text(backward) == whole)
        }
    }

    @Test(
        "A damaged distribution is rejected",
        arguments: [
            #"{"count":2,"largest":3,"values":"1"}"#, #"{"count":1,"largest":3,"values":"x"}"#,
            #"{"count":1,"largest":3,"values":"-1"}"#, #"{"count":1,"largest":3,"bins":"9999 1"}"#,
            #"{"count":1,"largest":3,"bins":"1 99999999999999999999"}"#, #"{"largest":3,"values":"3"}"#,
        ])
    func damaged(_ text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ValueDistribution.self, from: Data(text.utf8)) }
    }

    @Test("A sum is exact in billionths, and a number that is too large for a part is rejected")
    func sums() throws {
        #expect(Int128(billionthsOf: 12.25) == 12_250_000_000)
        #expect(Int128(billionthsOf: -0.5) == -500_000_000)
        #expect(Int128(billionthsOf: .nan) == 0 && Int128(billionthsOf: .infinity) == 0)
        #expect(Amount(nanobytes: Int128(billionthsOf: 123_456_789.125)).bytes == 123_456_789.125)
        var sums = Sums<OptimumTotals.Measure>()
        sums[.cost] = 1 << 100
        let text = String(decoding: try JSONEncoder().encode(sums), as: UTF8.self)
        #expect(try JSONDecoder().decode(Sums<OptimumTotals.Measure>.self, from: Data(text.utf8)) == sums)
        let large = text.replacingOccurrences(of: "\(Int128(1) << 100)", with: "\(Int128(1) << 120)")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Sums<OptimumTotals.Measure>.self, from: Data(large.utf8))
        }
    }

    @Test("Draws give the interval of the normal approximation, and do not depend on the order of devices")
    func draws() throws {
        var generator = SplitMix64(seed: 5)
        let devices = (0..<400).map { ("device-\($0)", Int128(Int.random(in: 0...1000, using: &generator))) }
        var (forward, backward) = (PoissonDraws(columns: 2, seed: 1), PoissonDraws(columns: 2, seed: 1))
        for (name, value) in devices { forward.add(StableHash(name), [1000, value]) }
        for (name, value) in devices.reversed() { backward.add(StableHash(name), [1000, value]) }
        #expect(forward == backward)
        let interval = try #require(forward.interval { Double($0[$0.startIndex + 1]) / Double($0[$0.startIndex]) })
        let values = devices.map { Double($0.1) / 1000 }
        let mean = values.reduce(0, +) / 400
        let deviation = (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 400).squareRoot() / 20
        #expect((interval.lowerBound - (mean - 1.96 * deviation)).magnitude < 0.2 * deviation)
        #expect((interval.upperBound - (mean + 1.96 * deviation)).magnitude < 0.2 * deviation)
        var other = PoissonDraws(columns: 2, seed: 2)
        for (name, value) in devices { other.add(StableHash(name), [1000, value]) }
        #expect(other != forward)
    }

    @Test("Weights have the mean and the variance of the Poisson distribution")
    func weights() throws {
        var draws = PoissonDraws(columns: 2, seed: 9)
        draws.add(StableHash("a"), [1, 0])
        var weights: [Double] = []
        _ = draws.interval { draw in
            weights.append(Double(draw[draw.startIndex]))
            return 0
        }
        let mean = weights.reduce(0, +) / 1000
        let variance = weights.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 1000
        #expect((mean - 1).magnitude < 0.1 && (variance - 1).magnitude < 0.2)
    }

    @Test("The hash of a name never changes, and spreads similar names evenly over parts")
    func hashes() {
        #expect(StableHash("").value == StableHash([UInt8]()).value)
        #expect(StableHash("phone").value == 9_300_039_703_491_821_913)
        var counts = [Int](repeating: 0, count: 8)
        for number in 0..<8000 { counts[StableHash("renewal-\(number)").part(of: 8) - 1] += 1 }
        #expect(counts.allSatisfy { (900...1100).contains($0) }, "\(counts)")
    }

    @Test("A device of a population is the same, alone or among others, and is found by its name or number")
    func population() throws {
        let wifi = try #require(Alternation(share: 0.65, meanOff: 2400, shape: 0.55))
        let start = Days.date(0)
        let model = RenewalModel(wifi: wifi)
        let population = try #require(
            Population(model, name: "renewal", devices: 1200, days: 2, start: start, seed: 7))
        #expect(population.name(of: 17) == "renewal-0017" && population.name(of: 1199) == "renewal-1199")
        #expect(population.hash(of: 17) == StableHash("renewal-0017"))
        #expect(population.number(of: "renewal-0017") == 17 && population.number(of: "17") == 17)
        for name in ["renewal-1200", "1200", "-1", "phone", "renewal-", "renewal-x", ""] {
            #expect(population.number(of: name) == nil, "\(name)")
        }
        #expect(population.trace(of: 17) == model.trace(device: "renewal-0017", days: 2, start: start, seed: 24))
        #expect(Population(model, name: "r", devices: 0, days: 2, start: start, seed: 1) == nil)
        #expect(Population(model, name: "r", devices: 1, days: 0, start: start, seed: 1) == nil)
    }
}
