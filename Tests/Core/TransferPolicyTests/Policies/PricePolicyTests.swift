// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite("Policies on prices")
struct PricePolicyTests {
    /// Hourly prices from Monday 00:00 on.
    private func context(_ prices: [Double], at hour: Double = 0, change: (inout PolicyContext) -> Void = { _ in })
        -> PolicyContext
    {
        Sample.context(at: hour * 3600) {
            let segments = prices.enumerated().map { index, price in
                PriceCurve.Segment(
                    start: Sample.monday.advanced(by: .seconds(index * 3600)),
                    end: Sample.monday.advanced(by: .seconds((index + 1) * 3600)), price: price)
            }
            $0.conditions.priceCurve = Fact(PriceCurve(segments: segments), source: .priceCurve, since: Sample.now)
            change(&$0)
        }
    }

    /// A transfer that needs some hours, the margin included.
    private func subject(needs hours: Double, deadline: Int64? = nil, isRunning: Bool = false) -> PolicySubject {
        Sample.subject(
            deadline: deadline.map { $0 * 3600 }, total: Int64(hours * 3600 / 1.5), rate: 1, isRunning: isRunning)
    }

    private func words(_ rule: PricePolicy.Rule, _ subject: PolicySubject, _ context: PolicyContext) -> String {
        Sample.words(PricePolicy(rule).verdict(for: subject, in: context))
    }

    @Test("The cheapest window is uninterrupted, and ends by the deadline")
    func window() {
        let prices: [Double] = [5, 2, 9, 3, 3, 1, 1]
        let two = subject(needs: 2, deadline: 5)
        // Of the runs of two hours that end by 05:00, the run from 03:00 costs least.
        #expect(words(.cheapestWindow, two, context(prices)) == "price @10800.0")
        #expect(words(.cheapestWindow, subject(needs: 2, deadline: 8), context(prices)) == "price @18000.000001")
        #expect(words(.cheapestWindow, subject(needs: 1, deadline: 5), context(prices)) == "price @3600.000001")
        #expect(words(.cheapestWindow, subject(needs: 1, deadline: 5), context(prices, at: 1)) == "run")
        // Of equal runs, the first counts.
        #expect(words(.cheapestWindow, subject(needs: 1, deadline: 5), context([2, 2, 2, 2, 2])) == "run")
    }

    @Test("A run that has begun continues at any price, until the network is lost")
    func continues() {
        let running = subject(needs: 1, deadline: 5, isRunning: true)
        #expect(words(.cheapestWindow, running, context([5, 1, 1, 1, 1])) == "run")
        let lost = context([5, 1, 1, 1, 1]) { $0.conditions.metered.value = .yes }
        #expect(words(.cheapestWindow, running, lost) == "metered")
    }

    @Test("The cheapest times may be apart, and a run stops when its time ends")
    func times() {
        let prices: [Double] = [5, 1, 9, 3, 2, 1]
        let two = subject(needs: 2, deadline: 6)
        #expect(words(.cheapestTimes, two, context(prices)) == "price @3600.000001")
        #expect(words(.cheapestTimes, two, context(prices, at: 1)) == "run @7200.0")
        let half = subject(needs: 1, deadline: 6, isRunning: true)
        #expect(words(.cheapestTimes, half, context(prices, at: 2)) == "price @18000.0")
    }

    @Test("A run that began before prices were known is looked at again when they are")
    func becomesKnown() {
        let running = subject(needs: 1, deadline: 6, isRunning: true)
        #expect(words(.cheapestTimes, running, context([5, 1], at: -1)) == "run @0.0")
        #expect(words(.cheapestTimes, running, context([5, 1])) == "price @3600.000001")
    }

    @Test("The saving is weighed against the time until the end")
    func saving() {
        // (5-4)/(1+1) at 01:00, (5-3)/(5+1) at 05:00.
        #expect(
            words(.savingPerWait, subject(needs: 1, deadline: 24), context([5, 4, 5, 5, 5, 3])) == "price @3600.000001")
        #expect(
            words(.savingPerWait, subject(needs: 1, deadline: 24), context([5, 4.9, 5, 5, 5, 1]))
                == "price @18000.000001"
        )
        #expect(words(.savingPerWait, subject(needs: 1, deadline: 24), context([5, 5, 6])) == "run")
    }

    @Test(
        "At the latest start, after the deadline, and without a price now, the transfer runs",
        arguments: PricePolicy.Rule.allCases)
    func gives(_ rule: PricePolicy.Rule) {
        #expect(words(rule, subject(needs: 2, deadline: 2), context([5, 1, 1])).hasPrefix("run"))
        #expect(words(rule, subject(needs: 2, deadline: 2), context([5, 1, 1, 1, 1, 1], at: 3)).hasPrefix("run"))
        #expect(words(rule, subject(needs: 1, deadline: 9), context([])).hasPrefix("run"))
        #expect(words(rule, subject(needs: 1, deadline: 9), Sample.context()).hasPrefix("run"))
        let metered = Sample.context(.ac, .yes)
        #expect(words(rule, subject(needs: 1, deadline: 9), metered).hasPrefix("metered"))
    }

    @Test("Without a deadline, the horizon counts from the submission")
    func horizon() {
        let prices: [Double] = Array(repeating: 5, count: 23) + [4, 1]
        let policy = PricePolicy(.cheapestWindow)
        #expect(Sample.words(policy.verdict(for: subject(needs: 1), in: context(prices))) == "price @82800.0")
        #expect(
            Sample.words(PricePolicy(horizon: .seconds(25 * 3600)).verdict(for: subject(needs: 1), in: context(prices)))
                == "price @86400.0")
        #expect(Sample.words(policy.verdict(for: subject(needs: 1), in: context(prices, at: 24))) == "run")
    }

    @Test("Under random prices, each rule starts at a best time by plain enumeration")
    func matchesEnumeration() {
        var generator = SplitMix64(seed: 3)
        for _ in 0..<300 {
            let prices = (0..<6).map { _ in Double(Int.random(in: 1...4, using: &generator)) }
            let (need, deadline) = (Int.random(in: 1...3, using: &generator), Int.random(in: 4...6, using: &generator))
            let subject = subject(needs: Double(need), deadline: Int64(deadline))
            // Whole hours suffice: costs are linear between them.
            let starts = 0...(deadline - need)
            func cost(_ start: Int) -> Double { prices[start..<(start + need)].reduce(0, +) }
            func start(_ rule: PricePolicy.Rule) -> Int {
                let verdict = PricePolicy(rule).verdict(for: subject, in: context(prices))
                guard case .wait(_, let date?) = verdict else { return 0 }
                return Int((Double(Sample.now.instant.duration(to: date).wholeNanoseconds) / 3.6e12).rounded())
            }
            let cheapest = starts.map(cost).min() ?? 0
            #expect(start(.cheapestWindow) == starts.first { cost($0) == cheapest })
            let best = starts.map { (cost(0) - cost($0)) / Double($0 + need) }.max() ?? 0
            let chosen = start(.savingPerWait)
            #expect(((cost(0) - cost(chosen)) / Double(chosen + need) - best).magnitude < 1e-6)
            let ordered = (0..<deadline).sorted { (prices[$0], $0) < (prices[$1], $1) }.prefix(need)
            #expect(start(.cheapestTimes) == ordered.min())
        }
    }
}
