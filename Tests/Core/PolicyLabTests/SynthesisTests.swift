// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import PolicyLab

@Suite struct SynthesisTests {
    /// Reference values from an implementation in another language with the same random words: SplitMix64, log, cos,
    /// exp.
    @Test("The generated workload is the workload of the reference results")
    func workload() {
        let segment = Trace.Segment(
            start: WallTime(secondsSinceEpoch: 1_400_000_000), end: WallTime(secondsSinceEpoch: 1_400_172_800),
            power: .ac, network: .wifi)
        let trace = Trace(device: "two-days", segments: [segment])!
        let jobs = WorkloadGenerator.jobs(for: trace, seed: 1000)
        #expect(jobs.count == Self.expected.count)
        for (job, expected) in zip(jobs, Self.expected) {
            #expect(job.arrival.secondsSinceEpoch == expected.0)
            #expect(job.bytes == expected.1)
            #expect(job.deadline == job.arrival.advanced(by: .seconds(86_400)))
        }
        #expect(jobs.map(\.id) == Array(0..<Int64(jobs.count)))
    }

    private static let expected: [(Int64, Int64)] = [
        (1_400_001_927, 29_941_367), (1_400_004_597, 65_694_740), (1_400_005_177, 2_332_196),
        (1_400_009_589, 55_223_678),
        (1_400_011_699, 659_205), (1_400_016_221, 30_235_780), (1_400_017_969, 4_368_475), (1_400_029_294, 11_921_169),
        (1_400_034_412, 248_792_389), (1_400_036_795, 537_179_078), (1_400_043_770, 37_353_718),
        (1_400_069_535, 146_779_852),
        (1_400_072_444, 32_484_865), (1_400_074_238, 34_219_443), (1_400_078_616, 32_018_070),
    ]

    @Test("Random arrivals are served within a time as often as the formula predicts", arguments: [0.55, 1])
    func closedForm(shape: Double) throws {
        let wifi = try #require(Alternation(share: 0.65, meanOff: 2400, shape: shape))
        let model = RenewalModel(wifi: wifi)
        // 5,000 days, because the periods are heavy-tailed.
        let traces = try (0..<5).map { seed in
            let start = WallTime(secondsSinceEpoch: 0)
            return try #require(model.trace(device: "d", days: 1000, start: start, seed: UInt64(seed + 1)))
        }
        let analysis = TraceAnalysis(traces)
        for delay in [0, 100, 600, 1800, 3600, 7200.0] {
            let found = try #require(analysis.shareServed(.unmetered, within: delay))
            #expect((found - wifi.shareServed(within: delay)).magnitude < 0.004, "\(delay) s")
        }
    }

    @Test("In a replay, small jobs under the unmetered policy are served as often as the formula predicts")
    func replayedClosedForm() throws {
        let wifi = try #require(Alternation(share: 0.65, meanOff: 2400, shape: 0.55))
        let model = RenewalModel(wifi: wifi)
        let start = WallTime(secondsSinceEpoch: 0)
        var delays: [Double] = []
        for seed in UInt64(1)...4 {
            let trace = try #require(model.trace(device: "d", days: 100, start: start, seed: seed))
            var generator = SplitMix64(seed: seed + 100)
            let jobs = (0..<Int64(500)).map { id in
                let second = Int64.random(in: 0...(90 * 86_400), using: &generator)
                return Job(id: id, arrival: WallTime(secondsSinceEpoch: second), bytes: 1, deadline: nil)
            }
            delays += try Days.replay(trace, jobs, "unmetered", ReplaySettings()).jobs.compactMap(\.delay)
        }
        for delay in [100, 600, 1800, 3600, 7200.0] {
            let found = Double(delays.count { $0 <= delay }) / 2000
            #expect((found - wifi.shareServed(within: delay)).magnitude < 0.03, "\(delay) s: \(found)")
        }
    }

    @Test("The formula gives the published values: 1.9 % more within 100 s, 30.0 % more within an hour")
    func published() throws {
        let wifi = try #require(Alternation(share: 0.65, meanOff: 2400, shape: 0.55))
        func gain(_ delay: Double) -> Double { (wifi.shareServed(within: delay) / 0.65 - 1) * 100 }
        #expect((gain(100) - 1.9).magnitude < 0.05, "\(gain(100))")
        #expect((gain(3600) - 30).magnitude < 0.05, "\(gain(3600))")
    }

    @Test("The incomplete gamma function has its tabulated values")
    func gamma() {
        // P(1, x) = 1 − e^−x; P(½, x) = erf √x; tables for the rest.
        let known: [(Double, Double, Double)] = [
            (1, 1, 0.6321205588285577), (1, 30, 1 - 9.357622968840175e-14), (0.5, 1, 0.8427007929497149),
            (0.5, 0.01, 0.1124629160182849), (3, 2, 0.3233235838169366), (10, 20, 0.9950045876916924), (2, 0, 0),
        ]
        for (shape, value, result) in known {
            #expect((IncompleteGamma.lower(shape, value) - result).magnitude < 1e-13, "P(\(shape), \(value))")
        }
        #expect(IncompleteGamma.lower(2, .infinity) == 1)
    }

    @Test("A fit recovers the distribution of its values", arguments: [0.5, 1, 3])
    func fit(shape: Double) throws {
        let truth = try #require(Weibull(shape: shape, mean: 1000))
        var generator = SplitMix64(seed: 4)
        let values = (0..<20_000).map { _ in truth.value(using: &generator) }
        let fit = try #require(Weibull(fitting: values))
        #expect((fit.shape / shape - 1).magnitude < 0.02)
        #expect((fit.mean / 1000 - 1).magnitude < 0.05)
        #expect(Weibull(fitting: [1, 1]) == nil)
        #expect(Weibull(fitting: []) == nil)
    }

    @Test("Power alternates if requested, and equal seeds give equal days")
    func power() throws {
        let wifi = try #require(Alternation(share: 0.5, meanOff: 3600, shape: 0.6))
        let model = RenewalModel(wifi: wifi, acPower: Alternation(share: 0.3, meanOff: 14_400, shape: 0.6))
        let start = WallTime(secondsSinceEpoch: 5)
        let trace = try #require(model.trace(device: "d", days: 4000, start: start, seed: 9))
        #expect(model.trace(device: "d", days: 4000, start: start, seed: 9) == trace)
        #expect(model.trace(device: "d", days: 4000, start: start, seed: 8) != trace)
        #expect(trace.span == 4000 * 86_400)
        let onAC = try #require(TraceAnalysis([trace]).shareServed(.ac, within: 0))
        #expect((onAC - 0.3).magnitude < 0.02)
        #expect(trace.segments.allSatisfy { $0.network == .wifi || $0.network == .cell })
    }

    @Test("A model that is fitted to synthetic days recovers their parameters")
    func refit() throws {
        let wifi = try #require(Alternation(share: 0.6, meanOff: 3600, shape: 0.5))
        let model = RenewalModel(wifi: wifi, acPower: Alternation(share: 0.3, meanOff: 14_400, shape: 0.8))
        let trace = try #require(
            model.trace(device: "d", days: 5000, start: WallTime(secondsSinceEpoch: 0), seed: 2))
        let fitted = try #require(RenewalModel(fitting: [trace]))
        #expect((fitted.wifi.share - 0.6).magnitude < 0.02)
        #expect((fitted.wifi.off.shape - 0.5).magnitude < 0.02)
        #expect((try #require(fitted.acPower).on.shape - 0.8).magnitude < 0.02)
    }

    @Test("Parameters out of range give no model")
    func wrong() {
        for (share, mean, shape) in [(0, 1, 1), (1, 1, 1), (0.5, 0, 1), (0.5, 1, 0.01), (0.5, .nan, 1.0)] {
            #expect(Alternation(share: share, meanOff: mean, shape: shape) == nil)
        }
        let start = WallTime(secondsSinceEpoch: 0)
        let model = Alternation(share: 0.5, meanOff: 1, shape: 1).map { RenewalModel(wifi: $0) }
        #expect(model?.trace(device: "d", days: 0, start: start, seed: 1) == nil)
        #expect(RenewalModel(fitting: [Days.trace("Ab")]) == nil)
    }
}
