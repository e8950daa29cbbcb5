// SPDX-License-Identifier: Apache-2.0
import RandomRuns
import Testing

/// Compares the session machine with an oracle that keeps the events and requests of apps as plain lists.
@Suite("Random runs of sessions")
struct RandomSessionTests {
    /// The seed to replay, from the message of a failure.

    @Test(
        "Events arrive in order until acknowledged, launches are spaced, no app waits forever, and crashes lose nothing",
        arguments: 0..<4)
    func random(part: Int) {
        let seeds = RandomRuns.seeds(4)
        print("RandomSessionTests part \(part): TRANSFER_SEED=\(seeds.lowerBound)")
        for seed in seeds {
            var run = RandomRun(seed: seed)
            run.run(steps: 400)
            guard let fault = run.model.faults.first else { continue }
            Issue.record("TRANSFER_SEED=\(seed) replays this: \(fault)\n  \(run.lastSteps)")
            return
        }
    }

    @Test("The same seed gives the same run")
    func determinism() {
        func log(_ seed: UInt64) -> [String] {
            var run = RandomRun(seed: seed)
            run.run(steps: 300)
            return run.log
        }
        for seed in UInt64(1)...3 { #expect(log(seed) == log(seed)) }
        #expect(log(1) != log(2))
    }
}
