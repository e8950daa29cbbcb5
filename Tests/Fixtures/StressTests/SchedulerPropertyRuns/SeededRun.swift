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
        var setup = RunSetup()
        setup.policy = policy ?? (Bool.random(using: &generator) ? "default" : any)
        setup.seed = generator.next() >> 32
        setup.isPreemptive = isPreemptive
        self.setup = setup
        // A caller that names a policy wants to test only this policy.
        policies = policy.map { [$0] } ?? StepGenerator.policies
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

    /// Returns a hash of all effects that is the same in every build (FNV-1a), and the number of events.
    package func digest(steps count: Int) -> (value: UInt64, events: Int) {
        var value: UInt64 = 0xCBF2_9CE4_8422_2325
        let propertyRun = run(
            steps: count,
            prepare: {
                $0.onEvent = { _, _, effects in
                    for byte in "\(effects)".utf8 { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
                }
            })
        return (value, propertyRun.eventCount)
    }

    /// Returns the shortest failing log found as text and its fault, or `nil` if the run does not fail.
    package func shortestLog(steps count: Int) throws -> (text: String, fault: String)? {
        var log = RunLog(setup: setup)
        _ = run(steps: count, onStep: { log.steps.append($0) })
        return try log.shrunk { Self.replay($0, shadow: shadow).faults.first }.map { (try $0.log.text, $0.fault) }
    }

    /// Replays a log.
    package static func replay(
        _ log: RunLog, shadow: Shadow? = nil, prepare: (PropertyRun) -> Void = { _ in }
    ) -> PropertyRun {
        let propertyRun = PropertyRun(log.setup, shadow: shadow)
        prepare(propertyRun)
        for step in log.steps where propertyRun.faults.isEmpty { propertyRun.perform(step) }
        return propertyRun
    }
}
