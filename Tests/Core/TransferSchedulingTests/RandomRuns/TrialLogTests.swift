// SPDX-License-Identifier: Apache-2.0
import SchedulerTrials
import Testing

/// Tests that the output of failing trials is reliable: steps survive the conversion to text, and shrinking keeps the
/// failure.
@Suite struct TrialLogTests {
    @Test("Every step is the same after it was text", arguments: UInt64(1)...8)
    func text(seed: UInt64) {
        var steps: [TrialStep] = []
        let run = TrialRun(seed: seed)
        let trial = run.run(steps: 1500, note: { steps.append($0) })
        for step in steps { #expect(TrialStep(step.text) == step, "\(step.text)") }
        #expect(TrialSetup(run.setup.text) == run.setup)
        let again = TrialRun.replay([run.setup.text] + steps.map(\.text))
        #expect(again.digestValue == trial.digestValue)
        #expect(trial.faults == [])
    }

    @Test("A failing log is shrunk to what it fails by")
    func shrinking() throws {
        let lines = ["setup slots=3"] + (0..<100).map { "pass \($0) size=\($0)" }
        var shrinking = TrialShrinking(lines: lines) { candidate in
            candidate.contains { $0.hasPrefix("pass 17") } && candidate.contains { $0.hasPrefix("pass 71 size") }
                ? "found" : nil
        }
        let found = shrinking.shrunk()
        let shrunk = try #require(found)
        #expect(shrunk.lines == ["setup", "pass 17", "pass 71 size=71"])
        #expect(shrunk.fault == "found")
    }

    @Test("A run reaches every kind of step and effect")
    func coverage() {
        var steps: Set<String> = []
        var effects: Set<String> = []
        for seed in UInt64(1)...12 {
            _ = TrialRun(seed: seed).run(
                steps: 1500,
                prepare: { trial in
                    trial.onEvent = { _, _, new in
                        for effect in new { effects.insert(String("\(effect)".prefix { $0.isLetter })) }
                    }
                },
                note: { steps.insert(String($0.text.prefix { $0.isLetter })) })
        }
        let expected: Set = [
            "pass", "clock", "probe", "submit", "change", "need", "progress", "fail", "fill", "fact", "app", "budgets",
            "room", "stops", "policy", "restart", "reboot", "drain", "cancel", "pause", "resume", "hold", "release",
            "answer", "watch", "unwatch", "startOver", "stopped", "finish",
        ]
        #expect(steps == expected)
        #expect(
            effects == [
                "start", "stop", "discard", "end", "saveRetry", "savePaused", "saveRelaunchHold", "saveLearned",
                "measureSpace", "explain", "wake",
            ])
    }
}
