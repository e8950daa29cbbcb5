// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@testable import PolicyLab

@Suite struct OptimumTests {
    /// A case of up to six slots of one second and one byte, and up to four jobs.
    private struct SmallCase {
        var letters: String
        /// The index of each slot's class in the prices, or `nil` if nothing can move in the slot.
        var classIndices: [Int?]
        var jobs: [Job] = []
        var settings = Days.slow

        init(seed: UInt64) {
            var generator = LabGenerator(seed: seed)
            let kinds = Array("AbCd-?z")
            letters = String((0..<generator.whole(in: 1...6)).map { _ in kinds[Int(generator.whole(in: 0...6))] })
            classIndices = letters.map { Array("AbCd").firstIndex(of: $0) }
            for id in 0..<generator.whole(in: 1...4) {
                let arrival = generator.whole(in: -1...5)
                let deadline = arrival + generator.whole(in: 1...6)
                jobs.append(Days.job(id, at: arrival, bytes: generator.whole(in: 0...4), by: deadline))
            }
            // Arbitrary prices: equal prices, a price above the penalty, and an unusual order.
            settings.costs = (0..<4).map { _ in Double(generator.whole(in: 0...6)) * 1e6 }
            settings.penalty = Double(generator.whole(in: 0...8)) * 1e6
        }

        var optimum: Optimum { Optimum(Days.trace(letters, seconds: 1), jobs: jobs, settings: settings) }

        /// The least cost of all ways to use the slots.
        var bruteForce: Double {
            var known: [Int: Double] = [:]
            return least(slot: 0, remaining: jobs.map { Int($0.bytes) }, &known)
        }

        private func least(slot: Int, remaining: [Int], _ known: inout [Int: Double]) -> Double {
            guard slot < classIndices.count else { return Double(remaining.reduce(0, +)) * settings.penalty / 1e6 }
            let key = remaining.reduce(slot) { $0 * 8 + $1 }
            if let known = known[key] { return known }
            var best = least(slot: slot + 1, remaining: remaining, &known)
            if let selectedIndex = classIndices[slot] {
                for index in jobs.indices where remaining[index] > 0 {
                    guard jobs[index].arrival <= Days.date(Int64(slot)),
                        let deadline = jobs[index].deadline, deadline > Days.date(Int64(slot))
                    else { continue }
                    var after = remaining
                    after[index] -= 1
                    let cost = settings.costs[selectedIndex] / 1e6 + least(slot: slot + 1, remaining: after, &known)
                    best = min(best, cost)
                }
            }
            known[key] = best
            return best
        }
    }

    @Test("The optimum equals brute force on small cases, for any prices", arguments: UInt64(0)..<8)
    func bruteForce(part: UInt64) {
        for seed in part * 500..<(part + 1) * 500 {
            let small = SmallCase(seed: seed)
            let (found, best) = (small.optimum.cost, small.bruteForce)
            guard (found - best).magnitude > 1e-9 else { continue }
            Issue.record("seed \(seed): \(found), not \(best): \(small)")
            return
        }
    }

    @Test("No policy beats the optimum, in cost or in late bytes", arguments: UInt64(1)...4)
    func neverBeaten(seed: UInt64) throws {
        var generator = LabGenerator(seed: seed)
        let (trace, jobs) = (generator.trace(segments: 12), generator.jobs(count: 8, latest: 100_000))
        let optimum = Optimum(trace, jobs: jobs, settings: generator.settings)
        for entry in PolicyCatalog.entries {
            let outcome = try Days.replay(trace, jobs, entry.name, generator.settings)
            let summary = Summary([outcome], optima: [optimum], settings: generator.settings)
            #expect(summary.costWithPenalty >= optimum.cost * (1 - 1e-12), "\(entry.name), seed \(seed)")
            #expect(summary.lateShare >= optimum.leastLateShare - 1e-12, "\(entry.name), seed \(seed)")
            let total = summary.onTimeBytes.reduce(0, +) + summary.lateBytes + summary.undoneBytes
            #expect((total - summary.offeredBytes).magnitude < 1, "\(entry.name), seed \(seed)")
        }
    }

    @Test(
        "With late transfers last, 'unmetered' and 'immediate' reach the least late bytes exactly",
        arguments: UInt64(1)...40)
    func floors(seed: UInt64) throws {
        var generator = LabGenerator(seed: seed)
        let trace = generator.trace(segments: 40)
        var jobs = generator.jobs(count: 30, latest: 300_000)
        for index in jobs.indices {
            jobs[index].bytes *= 10
            // Late work goes before work without a deadline, which the optimum expects by the end of the trace.
            jobs[index].deadline = jobs[index].deadline ?? jobs[index].arrival.advanced(by: .seconds(50_000))
        }
        var settings = generator.settings
        settings.scheduler.startsLateTransfersLast = true
        let optimum = Optimum(trace, jobs: jobs, settings: settings)
        for (policy, least) in [
            ("immediate", optimum.leastLateShare), ("unmetered", optimum.leastLateShareUnmetered),
        ] {
            let summary = Summary(
                [try Days.replay(trace, jobs, policy, settings)], optima: [optimum], settings: settings)
            #expect((summary.lateShare - least).magnitude < 1e-9, "\(policy), seed \(seed)")
        }
    }

    @Test("A longer deadline, more capacity, or an extra good hour never increases the cost", arguments: UInt64(1)...40)
    func monotonic(seed: UInt64) throws {
        var generator = LabGenerator(seed: seed)
        let (trace, jobs) = (generator.trace(segments: 20), generator.jobs(count: 15))
        let settings = generator.settings
        let cost = Optimum(trace, jobs: jobs, settings: settings).cost
        func expectNoWorse(_ other: Double) { #expect(other <= cost * (1 + 1e-12), "seed \(seed)") }
        var patient = jobs
        for index in patient.indices { patient[index].deadline = patient[index].deadline?.advanced(by: .seconds(999)) }
        expectNoWorse(Optimum(trace, jobs: patient, settings: settings).cost)
        var quick = settings
        quick.wifiRate += 500_000
        expectNoWorse(Optimum(trace, jobs: jobs, settings: quick).cost)
        var segments = trace.segments
        let selectedIndex = Int(generator.whole(in: 0...Int64(segments.count - 1)))
        (segments[selectedIndex].power, segments[selectedIndex].network) = (.ac, .wifi)
        (segments[selectedIndex].isSuspended, segments[selectedIndex].metered, segments[selectedIndex].rate) = (
            false, nil, 5_000_000
        )
        let better = try #require(Trace(device: "better", segments: segments))
        expectNoWorse(Optimum(better, jobs: jobs, settings: settings).cost)
    }

    @Test("Splitting a period or a job does not change the optimum", arguments: UInt64(1)...40)
    func splitting(seed: UInt64) throws {
        var generator = LabGenerator(seed: seed)
        let (trace, jobs) = (generator.trace(segments: 20), generator.jobs(count: 15))
        let whole = Optimum(trace, jobs: jobs, settings: generator.settings)
        let cut = try #require(Trace(device: trace.device, segments: trace.segments.flatMap { generator.cut($0) }))
        #expect(Optimum(cut, jobs: jobs, settings: generator.settings) == whole, "seed \(seed)")
        var parts: [Job] = []
        for job in jobs {
            var (first, second) = (job, job)
            first.bytes = generator.whole(in: 0...job.bytes)
            second.bytes = job.bytes - first.bytes
            second.id += 1000
            parts += [first, second]
        }
        #expect(Optimum(trace, jobs: parts, settings: generator.settings) == whole, "seed \(seed)")
    }

    @Test("The front begins with all bytes late at no cost, and ends at the maximum on time")
    func front() {
        let optimum = Optimum(
            Days.trace("Abd"), jobs: [Days.job(0, bytes: 250, by: 1000), Days.job(1, bytes: 250, by: 1000)],
            settings: Days.slow)
        #expect(optimum.front.map(\.lateShare) == [1, 0.8, 0.6, 0.6, 0.4])
        #expect(optimum.front.map { ($0.cost * 1e6).rounded() } == [0, 0, 100, 100, 600])
        #expect(optimum.leastLateShare == 0.4)
        #expect(optimum.leastLateShareUnmetered == 0.6)
        #expect((optimum.cost - (100 + 500 + 200 * 100) / 1e6).magnitude < 1e-12)
    }
}
