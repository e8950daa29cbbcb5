// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@Suite struct SchedulerRunTests {
    /// The seed to replay, from the message of a failure.
    private static let replayed = ProcessInfo.processInfo.environment["TRANSFER_SEED"].flatMap { UInt64($0) }

    /// A Boolean value that indicates whether new random seeds are tried.
    private static let isSearch = ProcessInfo.processInfo.environment["TRANSFER_RANDOM_RUNS"] != nil

    /// The number of runs per part. A long search sets a higher number.
    private static let runs = ProcessInfo.processInfo.environment["TRANSFER_RANDOM_RUNS"].flatMap { UInt64($0) } ?? 8

    @Test("Random runs follow every rule", arguments: 0..<8)
    func rules(part: Int) {
        // The seeds are fixed, so that a failure points to a change and not to chance. A long search begins at random
        // seeds.
        let base = Self.replayed ?? (Self.isSearch ? UInt64.random(in: 0 ... .max / 2) : 2026 + 1000 * UInt64(part))
        let runs: UInt64 = Self.replayed == nil ? Self.runs : 1
        print("SchedulerRunTests part \(part): seeds \(base)..<\(base + runs)")
        for seed in base..<base + runs {
            let run = SchedulerRun(seed: seed)
            run.run(steps: 500)
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
        for seed in UInt64(1)...60 {
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
        #expect(
            kinds == [
                "start", "stop", "discard", "saveRetry", "savePaused", "measureSpace", "explain", "wake", "finished",
                "responded", "failed", "cancelled", "saveRelaunchDelay", "saveStatistics", "expired",
            ])
    }
}
