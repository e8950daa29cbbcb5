// SPDX-License-Identifier: Apache-2.0
import Foundation
import RandomRuns
import SchedulerPropertyRuns
import Testing
import TransferModel
import TransferPolicy

/// Compares the scheduler with a plain scheduler that examines every transfer each time. `SchedulerStress` runs the
/// same comparison for longer.
@Suite struct PlainSchedulerTests {
    private static let environment = ProcessInfo.processInfo.environment

    @Test("Random runs agree with the reference scheduler and follow every rule", arguments: 0..<4)
    func random(part: Int) throws { try compare(seeds: 3, part: part) }

    @Test("Random runs agree with the reference scheduler under each policy", arguments: StepGenerator.policies)
    func policies(name: String) throws { try compare(policy: name, seeds: 2, steps: 150, part: 0) }

    @Test("Random runs agree with the reference scheduler under preemption", arguments: 0..<2)
    func preemption(part: Int) throws { try compare(isPreemptive: true, seeds: 2, part: part) }

    private func compare(
        policy: String? = nil, isPreemptive: Bool = false, seeds: UInt64, steps: Int = 300, part: Int
    ) throws {
        let seeds = RandomRuns.seeds(seeds)
        let name = isPreemptive ? "preemptive part \(part)" : policy ?? "part \(part)"
        print("PlainSchedulerTests \(name): TRANSFER_SEED=\(seeds.lowerBound)")
        for seed in seeds {
            let run = SeededRun(seed: seed, policy: policy, isPreemptive: isPreemptive) { PlainScheduler($0, $1) }
            guard !run.run(steps: steps).faults.isEmpty else { continue }
            let log = try #require(try run.shortestLog(steps: steps))
            Issue.record("TRANSFER_SEED=\(seed) replays this: \(log.fault)\nTRANSFER_LOG, a file, this:\n\(log.text)")
            return
        }
    }

    @Test("A printed log can be replayed", .enabled(if: environment["TRANSFER_LOG"] != nil, "no TRANSFER_LOG"))
    func log() throws {
        let text = try String(contentsOfFile: #require(Self.environment["TRANSFER_LOG"]), encoding: .utf8)
        let propertyRun = SeededRun.replay(try RunLog(text), shadow: { PlainScheduler($0, $1) })
        #expect(propertyRun.faults == [])
    }

    @Test("The same events and the same seed give the same effects")
    func determinism() {
        func digest(_ seed: UInt64) -> UInt64 { SeededRun(seed: seed).digest(steps: 600).value }
        for seed in UInt64(1)...4 { #expect(digest(seed) == digest(seed)) }
        #expect(digest(1) != digest(2))
    }
}
