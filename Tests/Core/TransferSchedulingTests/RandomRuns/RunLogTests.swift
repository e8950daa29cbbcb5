// SPDX-License-Identifier: Apache-2.0
import SchedulerPropertyRuns
import Testing

/// Tests that the output of failing trials is reliable: steps survive the conversion to text, and shrinking keeps the
/// failure.
@Suite struct RunLogTests {
    @Test("Every step survives its conversion to text", arguments: UInt64(1)...3)
    func text(seed: UInt64) {
        var steps: [RunStep] = []
        let run = SeededRun(seed: seed)
        let propertyRun = run.run(steps: 1500, onStep: { steps.append($0) })
        for step in steps { #expect(RunStep(step.text) == step, "\(step.text)") }
        #expect(RunSetup(run.setup.text) == run.setup)
        let again = SeededRun.replay([run.setup.text] + steps.map(\.text))
        #expect(again.digestValue == propertyRun.digestValue)
        #expect(propertyRun.faults == [])
    }

    @Test("A failing log is shrunk to its cause")
    func shrinker() throws {
        let lines = ["setup slots=3"] + (0..<100).map { "pass \($0) size=\($0)" }
        var shrinker = LogShrinker(lines: lines) { candidate in
            candidate.contains { $0.hasPrefix("pass 17") } && candidate.contains { $0.hasPrefix("pass 71 size") }
                ? "found" : nil
        }
        let found = shrinker.shrunk()
        let shrunk = try #require(found)
        #expect(shrunk.lines == ["setup", "pass 17", "pass 71 size=71"])
        #expect(shrunk.fault == "found")
    }

    @Test("A run reaches every kind of step and effect")
    func coverage() {
        var steps: Set<String> = []
        var effects: Set<String> = []
        for seed in UInt64(1)...8 {
            _ = SeededRun(seed: seed).run(
                steps: 1500,
                prepare: { propertyRun in
                    propertyRun.onEvent = { _, _, new in
                        for effect in new { effects.insert(String("\(effect)".prefix { $0.isLetter })) }
                    }
                },
                onStep: { steps.insert(String($0.text.prefix { $0.isLetter })) })
        }
        let expected: Set = [
            "pass", "clock", "probe", "submit", "change", "need", "progress", "fail", "fill", "fact", "app", "budgets",
            "room", "stops", "policy", "restart", "reboot", "drain", "cancel", "pause", "resume", "hold", "release",
            "answer", "watch", "unwatch", "startOver", "stopped", "finish",
        ]
        #expect(steps == expected)
        #expect(
            effects == [
                "start", "stop", "discard", "end", "saveRetry", "savePaused", "saveRelaunchDelay", "saveStatistics",
                "measureSpace", "explain", "reportDeadline", "wake",
            ])
    }
}
