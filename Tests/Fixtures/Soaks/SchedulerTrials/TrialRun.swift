// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
package import TransferPolicy

/// A property test run from one seed. The log of a failed run can be shrunk and printed as text.
package struct TrialRun {
    package typealias Shadow = (TrialSetup, any Policy) -> any TrialShadow

    package let setup: TrialSetup
    private let seed: UInt64
    private let population: Int
    private let policies: [String]
    private let isDrained: Bool
    private let shadow: Shadow?

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - policy: The name of the only policy, or `nil` for random policies.
    ///   - isPreemptive: Whether waiting transfers may take slots from running transfers.
    ///   - shadow: A closure that creates a reference scheduler.
    package init(seed: UInt64, policy: String? = nil, isPreemptive: Bool = false, shadow: Shadow? = nil) {
        self.seed = seed
        self.shadow = shadow
        var dice = SplitMix64(seed: seed ^ 0x5EED)
        population = [4, 10, 10, 25, 60].randomElement(using: &dice) ?? 10
        isDrained = Int.random(in: 0..<3, using: &dice) == 0
        let any = TrialDice.policies.randomElement(using: &dice) ?? "default"
        let chosen = policy ?? (Bool.random(using: &dice) ? "default" : any)
        // A caller that names a policy wants to test only this policy.
        policies = policy.map { [$0] } ?? TrialDice.policies
        let setup = TrialSetup(policy: chosen, using: &dice)
        self.setup = isPreemptive ? setup.preemptive() : setup
    }

    /// Performs `count` random steps and a final step. Stops at the first fault.
    package func run(steps count: Int, prepare: (Trial) -> Void = { _ in }, note: (TrialStep) -> Void = { _ in })
        -> Trial
    {
        let trial = Trial(setup, shadow: shadow)
        prepare(trial)
        var dice = TrialDice(seed: seed, population: population, policies: policies)
        for number in 0...count where trial.faults.isEmpty {
            let step = number < count ? dice.next(trial) : isDrained ? .drain : .probe
            note(step)
            trial.perform(step)
        }
        return trial
    }

    /// Returns the shortest failing log found and its fault, or `nil` if the run does not fail.
    package func shortestLog(steps count: Int) -> (lines: [String], fault: String)? {
        var lines = [setup.text]
        let trial = run(steps: count, note: { lines.append($0.text) })
        guard !trial.faults.isEmpty else { return nil }
        var shrinking = TrialShrinking(lines: lines) { Self.replay($0, shadow: shadow).faults.first }
        return shrinking.shrunk()
    }

    /// Replays a log.
    package static func replay(
        _ lines: [String], shadow: Shadow? = nil, prepare: (Trial) -> Void = { _ in }
    ) -> Trial {
        let trial = Trial(TrialSetup(lines.first { $0.hasPrefix("setup") } ?? ""), shadow: shadow)
        prepare(trial)
        for line in lines where trial.faults.isEmpty {
            if let step = TrialStep(line) { trial.perform(step) }
        }
        return trial
    }
}

/// A shrinker for failing logs, which removes steps and words that the failure does not need.
///
/// Steps are removed by halves down to single steps, followed by single words (delta debugging,
/// Zeller and Hildebrandt 2002).
package struct TrialShrinking {
    private var lines: [String]
    private var fault: String?
    private let failure: ([String]) -> String?
    /// The number of remaining attempts. Enough for logs of several thousand steps; longer logs
    /// are shrunk only in part.
    private var triesLeft = 6000

    package init(lines: [String], failure: @escaping ([String]) -> String?) {
        self.lines = lines
        self.failure = failure
    }

    package mutating func shrunk() -> (lines: [String], fault: String)? {
        fault = failure(lines)
        guard fault != nil else { return nil }
        var before = Int.max
        while before > size, triesLeft > 0 {
            before = size
            dropLines()
            dropWords()
        }
        return fault.map { (lines, $0) }
    }

    private var size: Int { lines.reduce(0) { $0 + $1.utf8.count } }

    private mutating func take(_ candidate: [String]) -> Bool {
        guard triesLeft > 0 else { return false }
        triesLeft -= 1
        guard let fault = failure(candidate) else { return false }
        self.fault = fault
        lines = candidate
        return true
    }

    private mutating func dropLines() {
        var length = max(1, lines.count / 2)
        while true {
            // Removal starts at the end, because later steps depend on earlier steps.
            var end = lines.count
            while end > 1 {
                let begin = max(1, end - length)
                var candidate = lines
                candidate.removeSubrange(begin..<end)
                _ = take(candidate)
                end = begin
            }
            if length == 1 { return }
            length = max(1, length / 2)
        }
    }

    private mutating func dropWords() {
        for index in lines.indices.reversed() {
            var words = lines[index].split(separator: " ").map(String.init)
            for place in words.indices.reversed() where words[place].contains("=") {
                var fewer = words
                fewer.remove(at: place)
                var candidate = lines
                candidate[index] = fewer.joined(separator: " ")
                if take(candidate) { words = fewer }
            }
        }
    }
}
