// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Compares the session machine with an oracle that keeps the events and requests of apps as plain lists.
@Suite("Random runs of sessions")
struct RandomSessionTests {
    /// The seed to replay, from the message of a failure.
    private static let replayed = ProcessInfo.processInfo.environment["TRANSFER_SEED"].flatMap { UInt64($0) }

    @Test(
        "Events arrive in order until acknowledged, launches are spaced, no app waits forever, and crashes lose nothing",
        arguments: 0..<4)
    func random(part: Int) {
        let base = Self.replayed ?? UInt64.random(in: 0..<1 << 48)
        print("RandomSessionTests part \(part): TRANSFER_SEED=\(base)")
        for seed in base..<base + (Self.replayed == nil ? 50 : 1) {
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
            run.run(steps: 1000)
            return run.log
        }
        for seed in UInt64(1)...3 { #expect(log(seed) == log(seed)) }
        #expect(log(1) != log(2))
    }
}
