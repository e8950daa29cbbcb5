// SPDX-License-Identifier: Apache-2.0
import SchedulerPropertyRuns
import Testing
import TransferModel
import TransferScheduling

/// Tests that the output of failing trials is reliable: steps survive the conversion to text, and shrinking keeps the
/// failure.
@Suite struct RunLogTests {
    @Test("Every step survives its conversion to text", arguments: UInt64(1)...3)
    func text(seed: UInt64) throws {
        let run = SeededRun(seed: seed)
        var log = RunLog(setup: run.setup)
        var effects: [Effect] = []
        let propertyRun = run.run(
            steps: 1500, prepare: { $0.onEvent = { effects += $2 } }, onStep: { log.steps.append($0) })
        let copy = try RunLog(log.text)
        #expect(copy.setup == log.setup)
        #expect(copy.steps == log.steps)
        var replayed: [Effect] = []
        _ = SeededRun.replay(copy, prepare: { $0.onEvent = { replayed += $2 } })
        #expect(replayed == effects)
        #expect(propertyRun.faults == [])
    }

    @Test("A failing log is shrunk to its cause")
    func shrinker() throws {
        let steps = (1...100).map { number in
            RunStep.submit(
                TransferID(number), TransferTraits(priority: 100, expectedBytesToReceive: number, maximumAttempts: 3))
        }
        let shrunk = RunLog(setup: SeededRun(seed: 1).setup, steps: steps).shrunk { log in
            let isThere = log.steps.contains { if case .submit(TransferID(17), _) = $0 { true } else { false } }
            let isLarge = log.steps.contains {
                if case .submit(_, let traits) = $0 { traits.expectedBytesToReceive == 71 } else { false }
            }
            return isThere && isLarge ? "found" : nil
        }
        let found = try #require(shrunk)
        let simple = TransferTraits(submitted: .atSubmission)
        var large = simple
        large.expectedBytesToReceive = 71
        #expect(found.log.steps == [.submit(TransferID(17), simple), .submit(TransferID(71), large)])
        #expect(found.log.setup.isUsual)
        #expect(found.fault == "found")
    }

    @Test("Runs reach every kind of step, effect, and ending")
    func coverage() {
        var steps: Set<String> = []
        var effects: Set<String> = []
        for seed in UInt64(1)...12 {
            _ = SeededRun(seed: seed).run(
                steps: 1500,
                prepare: { propertyRun in
                    propertyRun.onEvent = { _, _, new in
                        for effect in new {
                            effects.insert(String("\(effect)".prefix { $0.isLetter }))
                            switch effect {
                            case .end(_, .failed(.expired)): effects.insert("expired")
                            case .end(_, let ending): effects.insert(String("\(ending)".prefix { $0.isLetter }))
                            default: break  // Other effects end nothing.
                            }
                        }
                    }
                },
                onStep: { steps.insert(String("\($0)".prefix { $0.isLetter })) })
        }
        #expect(
            steps == [
                "pass", "wallStep", "probe", "submit", "change", "act", "need", "progress", "fail", "runOutOfSpace",
                "fact", "app", "budgets", "room", "confirmsStops", "policy", "restart", "finishAll",
            ])
        #expect(
            effects == [
                "start", "stop", "discard", "end", "saveRetry", "savePaused", "saveRelaunchDelay", "saveStatistics",
                "measureSpace", "explain", "reportDeadline", "wake", "finished", "responded", "failed", "cancelled",
                "expired",
            ])
    }
}
