// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
package import TransferPolicy

/// A property test run from one seed. The log of a failed run can be shrunk and printed as text.
package struct SeededRun {
    package typealias Shadow = (RunSetup, any Policy) -> any ReferenceScheduler

    package let setup: RunSetup
    private let seed: UInt64
    private let population: Int
    private let policies: [String]
    private let finishesAll: Bool
    private let shadow: Shadow?

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - policy: The name of the only policy, or `nil` for random policies.
    ///   - isPreemptive: A Boolean value that indicates whether waiting transfers may preempt running transfers.
    ///   - shadow: A closure that creates a reference scheduler.
    package init(seed: UInt64, policy: String? = nil, isPreemptive: Bool = false, shadow: Shadow? = nil) {
        self.seed = seed
        self.shadow = shadow
        var generator = SplitMix64(seed: seed ^ 0x5EED)
        population = [4, 10, 10, 25, 60].randomElement(using: &generator) ?? 10
        finishesAll = Int.random(in: 0..<3, using: &generator) == 0
        let any = StepGenerator.policies.randomElement(using: &generator) ?? "default"
        let chosen = policy ?? (Bool.random(using: &generator) ? "default" : any)
        // A caller that names a policy wants to test only this policy.
        policies = policy.map { [$0] } ?? StepGenerator.policies
        let setup = RunSetup(policy: chosen, using: &generator)
        self.setup = isPreemptive ? setup.preemptive() : setup
    }

    /// Performs `count` random steps and a final step. Stops at the first fault.
    package func run(steps count: Int, prepare: (PropertyRun) -> Void = { _ in }, onStep: (RunStep) -> Void = { _ in })
        -> PropertyRun
    {
        let propertyRun = PropertyRun(setup, shadow: shadow)
        prepare(propertyRun)
        var generator = StepGenerator(seed: seed, population: population, policies: policies)
        for number in 0...count where propertyRun.faults.isEmpty {
            let step = number < count ? generator.next(propertyRun) : finishesAll ? .finishAll : .probe
            onStep(step)
            propertyRun.perform(step)
        }
        return propertyRun
    }

    /// Returns the shortest failing log found and its fault, or `nil` if the run does not fail.
    package func shortestLog(steps count: Int) -> (lines: [String], fault: String)? {
        var lines = [setup.text]
        let propertyRun = run(steps: count, onStep: { lines.append($0.text) })
        guard !propertyRun.faults.isEmpty else { return nil }
        var shrinking = LogShrinker(lines: lines) { Self.replay($0, shadow: shadow).faults.first }
        return shrinking.shrunk()
    }

    /// Replays a log.
    package static func replay(
        _ lines: [String], shadow: Shadow? = nil, prepare: (PropertyRun) -> Void = { _ in }
    ) -> PropertyRun {
        let propertyRun = PropertyRun(RunSetup(lines.first { $0.hasPrefix("setup") } ?? ""), shadow: shadow)
        prepare(propertyRun)
        for line in lines where propertyRun.faults.isEmpty {
            if let step = RunStep(line) { propertyRun.perform(step) }
        }
        return propertyRun
    }
}

/// A shrinker for failing logs, which removes steps and words that the failure does not need.
///
/// Steps are removed by halves down to single steps, followed by single words (delta debugging,
/// Zeller and Hildebrandt 2002).
package struct LogShrinker {
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

    private mutating func accept(_ candidate: [String]) -> Bool {
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
                _ = accept(candidate)
                end = begin
            }
            if length == 1 { return }
            length = max(1, length / 2)
        }
    }

    private mutating func dropWords() {
        for index in lines.indices.reversed() {
            var words = lines[index].split(separator: " ").map(String.init)
            for position in words.indices.reversed() where words[position].contains("=") {
                var fewer = words
                fewer.remove(at: position)
                var candidate = lines
                candidate[index] = fewer.joined(separator: " ")
                if accept(candidate) { words = fewer }
            }
        }
    }
}
