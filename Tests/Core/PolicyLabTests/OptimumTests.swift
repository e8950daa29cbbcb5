// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import PolicyLab

@Suite struct OptimumTests {
    /// A case of up to six slots of one second and one byte, and up to four jobs.
    private struct SmallCase {
        var letters: String
        /// The index of each slot's class in the prices, or `nil` if nothing can move in the slot.
        var places: [Int?]
        var jobs: [Job] = []
        var settings = Days.slow

        init(seed: UInt64) {
            var dice = LabDice(seed: seed)
            let kinds = Array("AbCd-?z")
            letters = String((0..<dice.whole(in: 1...6)).map { _ in kinds[Int(dice.whole(in: 0...6))] })
            places = letters.map { Array("AbCd").firstIndex(of: $0) }
            for id in 0..<dice.whole(in: 1...4) {
                let arrival = dice.whole(in: -1...5)
                let deadline = arrival + dice.whole(in: 1...6)
                jobs.append(Days.job(id, at: arrival, bytes: dice.whole(in: 0...4), by: deadline))
            }
            // Arbitrary prices: equal prices, a price above the penalty, and an unusual order.
            settings.costs = (0..<4).map { _ in Double(dice.whole(in: 0...6)) * 1e6 }
            settings.penalty = Double(dice.whole(in: 0...8)) * 1e6
        }

        var optimum: Optimum { Optimum(Days.trace(letters, seconds: 1), jobs: jobs, settings: settings) }

        /// The least cost of all ways to use the slots.
        var bruteForce: Double {
            var known: [Int: Double] = [:]
            return least(slot: 0, remaining: jobs.map { Int($0.bytes) }, &known)
        }

        private func least(slot: Int, remaining: [Int], _ known: inout [Int: Double]) -> Double {
            guard slot < places.count else { return Double(remaining.reduce(0, +)) * settings.penalty / 1e6 }
            let key = remaining.reduce(slot) { $0 * 8 + $1 }
            if let known = known[key] { return known }
            var best = least(slot: slot + 1, remaining: remaining, &known)
            if let place = places[slot] {
                for index in jobs.indices where remaining[index] > 0 {
                    guard jobs[index].arrival <= Days.date(Int64(slot)),
                        let deadline = jobs[index].deadline, deadline > Days.date(Int64(slot))
                    else { continue }
                    var after = remaining
                    after[index] -= 1
                    let cost = settings.costs[place] / 1e6 + least(slot: slot + 1, remaining: after, &known)
                    best = min(best, cost)
                }
            }
            known[key] = best
            return best
        }
    }

    @Test("It equals brute force on small cases, whatever the prices", arguments: UInt64(0)..<8)
    func bruteForce(part: UInt64) {
        for seed in part * 500..<(part + 1) * 500 {
            let small = SmallCase(seed: seed)
            let (found, best) = (small.optimum.cost, small.bruteForce)
            guard (found - best).magnitude > 1e-9 else { continue }
            Issue.record("seed \(seed): \(found), not \(best): \(small)")
            return
        }
    }

    @Test("No policy is ever better, nor has less that is late than is possible", arguments: UInt64(1)...4)
    func neverBeaten(seed: UInt64) throws {
        var dice = LabDice(seed: seed)
        let (trace, jobs) = (dice.trace(segments: 12), dice.jobs(count: 8, latest: 100_000))
        let optimum = Optimum(trace, jobs: jobs, settings: dice.settings)
        for entry in LabPolicy.entries {
            let outcome = try Days.replay(trace, jobs, entry.name, dice.settings)
            let summary = Summary([outcome], optima: [optimum], settings: dice.settings)
            #expect(summary.costWithPenalty >= optimum.cost * (1 - 1e-12), "\(entry.name), seed \(seed)")
            #expect(summary.lateShare >= optimum.leastLateShare - 1e-12, "\(entry.name), seed \(seed)")
            let total = summary.onTimeBytes.reduce(0, +) + summary.lateBytes + summary.undoneBytes
            #expect((total - summary.offeredBytes).magnitude < 1, "\(entry.name), seed \(seed)")
        }
    }

    @Test("A longer deadline, more capacity or an extra good hour never make it worse", arguments: UInt64(1)...40)
    func monotonous(seed: UInt64) throws {
        var dice = LabDice(seed: seed)
        let (trace, jobs) = (dice.trace(segments: 20), dice.jobs(count: 15))
        let settings = dice.settings
        let cost = Optimum(trace, jobs: jobs, settings: settings).cost
        func expectNoWorse(_ other: Double) { #expect(other <= cost * (1 + 1e-12), "seed \(seed)") }
        var patient = jobs
        for index in patient.indices { patient[index].deadline = patient[index].deadline?.advanced(by: .seconds(999)) }
        expectNoWorse(Optimum(trace, jobs: patient, settings: settings).cost)
        var quick = settings
        quick.freeRate += 500_000
        expectNoWorse(Optimum(trace, jobs: jobs, settings: quick).cost)
        var segments = trace.segments
        let place = Int(dice.whole(in: 0...Int64(segments.count - 1)))
        (segments[place].power, segments[place].network) = (.ac, .wifi)
        (segments[place].isSuspended, segments[place].metered, segments[place].rate) = (false, nil, 5_000_000)
        let better = try #require(Trace(device: "better", segments: segments))
        expectNoWorse(Optimum(better, jobs: jobs, settings: settings).cost)
    }

    @Test("Splitting a stretch of time or a job changes nothing", arguments: UInt64(1)...40)
    func splitting(seed: UInt64) throws {
        var dice = LabDice(seed: seed)
        let (trace, jobs) = (dice.trace(segments: 20), dice.jobs(count: 15))
        let whole = Optimum(trace, jobs: jobs, settings: dice.settings)
        let cut = try #require(Trace(device: trace.device, segments: trace.segments.flatMap { dice.cut($0) }))
        #expect(Optimum(cut, jobs: jobs, settings: dice.settings) == whole, "seed \(seed)")
        var parts: [Job] = []
        for job in jobs {
            var (first, second) = (job, job)
            first.bytes = dice.whole(in: 0...job.bytes)
            second.bytes = job.bytes - first.bytes
            second.id += 1000
            parts += [first, second]
        }
        #expect(Optimum(trace, jobs: parts, settings: dice.settings) == whole, "seed \(seed)")
    }

    @Test("The front begins with everything late and free, and ends where nothing more can be on time")
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
