// SPDX-License-Identifier: Apache-2.0
import RandomRuns
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@Suite struct SchedulerRunTests {
    @Test("Random runs follow every rule", arguments: 0..<4)
    func rules(part: Int) {
        // A failure points to a change and not to chance.
        let seeds = RandomRuns.seeds(4, from: 2026 + 1000 * UInt64(part))
        print("SchedulerRunTests part \(part): seeds \(seeds)")
        for seed in seeds {
            let run = SchedulerRun(seed: seed)
            run.run(steps: 250)
            guard let fault = run.faults.first else { continue }
            let steps = run.lastSteps(25).joined(separator: "\n  ")
            let log = run.machine.log.suffix(15).map { "\($0.time): \($0.effect)" }.joined(separator: "\n  ")
            Issue.record("TRANSFER_SEED=\(seed) replays this: \(fault)\n  \(steps)\neffects\n  \(log)")
            return
        }
    }

    @Test("The same seed gives the same effects, and another seed different ones")
    func determinism() {
        func log(_ seed: UInt64) -> [Machine.Entry] {
            let run = SchedulerRun(seed: seed)
            run.run(steps: 400)
            return run.machine.log
        }
        for seed in UInt64(1)...10 { #expect(log(seed) == log(seed)) }
        #expect(log(1) != log(2))
    }

    @Test("Random runs reach every effect")
    func coverage() {
        var kinds: Set<String> = []
        let expected: Set = [
            "start", "stop", "discard", "saveRetry", "savePaused", "measureSpace", "explain", "wake", "finished",
            "responded", "failed", "cancelled", "saveRelaunchDelay", "saveStatistics", "expired",
        ]
        for seed in UInt64(1)...60 where kinds != expected {
            let run = SchedulerRun(seed: seed)
            run.run(steps: 300)
            for entry in run.machine.log {
                switch entry.effect {
                case .end(_, .failed(.expired)): kinds.insert("expired")
                case .end(_, let ending): kinds.insert("\(ending)".prefix { $0.isLetter }.description)
                default: kinds.insert("\(entry.effect)".prefix { $0.isLetter }.description)
                }
            }
        }
        #expect(kinds == expected)
    }
}
