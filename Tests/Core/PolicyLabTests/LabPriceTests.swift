// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@testable import PolicyLab

@Suite("Prices of energy in the lab")
struct LabPriceTests {
    private static func forecasts(_ prices: [Double], seconds: Int64, from start: Int64 = 0) -> PriceForecasts {
        PriceForecasts(
            rows: prices.enumerated().map { index, price in
                .init(
                    start: Days.date(start + Int64(index) * seconds),
                    end: Days.date(start + Int64(index + 1) * seconds), price: price)
            })
    }

    @Test("On-time bytes cost the price that came true when they moved, on each side of a change")
    func cost() throws {
        var settings = Days.slow
        settings.prices = Self.forecasts([2, 5], seconds: 150)
        settings.priceWeight = 1e6
        // 300 bytes at one byte a second: 150 at the price 2, 150 at the price 5.
        let outcome = try Days.replay(
            Days.trace("AbA"), [Days.job(1, bytes: 300, by: 400)], "immediate", settings)
        #expect((outcome.priceCost - (150 * 2 + 150 * 5)).magnitude < 1e-6)
        let summary = Summary([outcome], optima: [], settings: settings)
        #expect((summary.onTimeCost - outcome.priceCost - 100.0 / 1e6).magnitude < 1e-6)
    }

    @Test("Policies see forecasts when they are made, and costs follow the last ones")
    func forecasts() throws {
        var settings = Days.slow
        settings.priceWeight = 1
        let rows: [PriceForecasts.Row] = [
            .init(start: Days.date(0), end: Days.date(1000), price: 3),
            .init(start: Days.date(400), end: Days.date(500), price: 1, made: Days.date(100)),
        ]
        settings.prices = PriceForecasts(rows: rows)
        let trace = Days.trace("AAAAAAAAAA")
        let job = Days.job(1, at: 50, bytes: 50, by: 900)
        // At 50 s, no lower price is known, so the transfer runs at once.
        let early = try Days.replay(trace, [job], "price", settings)
        #expect(early.jobs.first?.finished == Days.date(100))
        let late = try Days.replay(trace, [Days.job(1, at: 100, bytes: 50, by: 900)], "price", settings)
        #expect(late.jobs.first?.finished.map { Days.date(400).duration(to: $0).labSeconds >= 50 } == true)
        #expect((late.priceCost - 50 * 1 / 1e6).magnitude < 1e-9)
    }

    @Test("With prices, the optimum equals brute force on small cases", arguments: UInt64(0)..<8)
    func bruteForce(part: UInt64) {
        for seed in part * 100..<(part + 1) * 100 {
            var generator = LabGenerator(seed: seed)
            let letters = String((0..<6).map { _ in Array("AbCd-")[Int(generator.whole(in: 0...4))] })
            let jobs = (1...generator.whole(in: 1...3)).map { id in
                let arrival = generator.whole(in: 0...4)
                return Days.job(
                    id, at: arrival, bytes: generator.whole(in: 1...3), by: arrival + generator.whole(in: 1...4))
            }
            var settings = Days.slow
            settings.costs = (0..<4).map { _ in Double(generator.whole(in: 0...3)) * 1e6 }
            settings.penalty = 5e6
            settings.priceWeight = 1e6
            let prices = (0..<6).map { _ in Double(generator.whole(in: -1...3)) }
            settings.prices = Self.forecasts(prices, seconds: 1)
            let slots: [Double?] = letters.enumerated().map { index, letter in
                Array("AbCd").firstIndex(of: letter).map { settings.costs[$0] / 1e6 + prices[index] }
            }
            func least(_ slot: Int, _ remaining: [Int64]) -> Double {
                guard slot < slots.count else { return Double(remaining.reduce(0, +)) * 5 }
                var best = least(slot + 1, remaining)
                guard let cost = slots[slot] else { return best }
                let now = Days.date(Int64(slot))
                for index in jobs.indices where remaining[index] > 0 && jobs[index].arrival <= now {
                    guard let deadline = jobs[index].deadline, deadline > now else { continue }
                    var after = remaining
                    after[index] -= 1
                    best = min(best, cost + least(slot + 1, after))
                }
                return best
            }
            let optimum = Optimum(Days.trace(letters, seconds: 1), jobs: jobs, settings: settings)
            let best = least(0, jobs.map(\.bytes))
            #expect((optimum.cost - best).magnitude < 1e-9, "seed \(seed): \(letters) \(prices) \(jobs)")
        }
    }

    @Test("With prices, no policy beats the optimum", arguments: UInt64(1)...6)
    func neverBeaten(seed: UInt64) throws {
        var generator = LabGenerator(seed: seed)
        let (trace, jobs) = (generator.trace(segments: 12), generator.jobs(count: 8, latest: 100_000))
        var settings = generator.settings
        let hours = trace.start.duration(to: trace.end).labSeconds / 3600
        settings.prices = Self.forecasts(
            (0...Int(hours)).map { _ in Double(generator.whole(in: 0...9)) }, seconds: 3600,
            from: Days.date(0).duration(to: trace.start).components.seconds)
        #expect(settings.firstDateWithoutPrice(in: trace) == nil)
        let optimum = Optimum(trace, jobs: jobs, settings: settings)
        for name in ["immediate", "unmetered", "strict", "price", "wait-awhile", "saving-per-wait"] {
            let summary = Summary(
                [try Days.replay(trace, jobs, name, settings)], optima: [optimum], settings: settings)
            #expect(summary.costWithPenalty >= optimum.cost * (1 - 1e-12), "\(name), seed \(seed)")
        }
    }

    @Test("Prices that do not cover a trace are found, with the first date")
    func coverage() {
        var settings = ReplaySettings()
        let trace = Days.trace("AAAA")
        func first(_ forecasts: PriceForecasts?) -> Int64? {
            settings.prices = forecasts
            return settings.firstDateWithoutPrice(in: trace).map { Days.date(0).duration(to: $0).components.seconds }
        }
        #expect(first(nil) == nil)
        #expect(first(Self.forecasts([1, 1, 1, 1], seconds: 100)) == nil)
        #expect(first(Self.forecasts([1, 1, 1], seconds: 100)) == 300)
        #expect(first(Self.forecasts([1], seconds: 1000, from: 10)) == 0)
        #expect(first(PriceForecasts(rows: [])) == 0)
    }
}
