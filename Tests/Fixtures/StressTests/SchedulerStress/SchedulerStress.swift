// SPDX-License-Identifier: Apache-2.0
import Foundation
import SchedulerPropertyRuns
import TransferModel
import TransferPolicy

/// Property tests of the scheduler with millions of random events.
///
/// All events are checked against the rules, and some are also compared with a reference scheduler. A failing log is
/// shrunk as far as possible and printed as text for `--replay`, and the program exits with status 1.
@main
struct SchedulerStress {
    static func main() async {
        guard let options = StressOptions(Array(CommandLine.arguments.dropFirst())) else {
            print(StressOptions.usage)
            exit(2)
        }
        if let file = options.replayed { replay(file) }
        if options.isDigest { digest(options) }
        if let count = options.fixed { runFixedWorkload(count) }
        print("SchedulerStress --seed \(options.seed)")
        // Printed immediately, so that the seed is known even if this process crashes.
        fflush(nil)
        guard await runSteps(options, events: options.steps, isCompared: false) else { exit(1) }
        guard shadow != nil, options.compared > 0 else { return }
        guard await runSteps(options, events: options.compared, isCompared: true) else { exit(1) }
    }

    /// Creates the reference scheduler, if this build has access to internal symbols.
    static var shadow: (@Sendable (RunSetup, any Policy) -> any ReferenceScheduler)? {
        #if DEBUG || TESTABLE
        { PlainScheduler($0, $1) }
        #else
        nil
        #endif
    }

    private static func replay(_ file: String) -> Never {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8), let log = try? RunLog(text) else {
            print("\(file) cannot be read")
            exit(2)
        }
        // The reference scheduler's wake-ups may hide that the scheduler requests none.
        for shadow in [nil, shadow] {
            let propertyRun = SeededRun.replay(log, shadow: shadow) { propertyRun in
                propertyRun.onEvent = { now, event, effects in
                    print(PropertyRun.start.instant.duration(to: now.instant), event, effects)
                }
            }
            guard let fault = propertyRun.faults.first else { continue }
            print(fault)
            exit(1)
        }
        print("no rule is violated")
        exit(0)
    }

    /// Verifies that two runs with the same events have the same effects, and prints a digest for
    /// comparison across builds.
    private static func digest(_ options: StressOptions) -> Never {
        func value() -> UInt64 {
            var (sum, events, seed) = (UInt64(0), 0, options.seed)
            while events < 30_000 {
                let run = SeededRun(seed: seed).digest(steps: 1000)
                sum = (sum ^ run.value) &* 0x0000_0100_0000_01B3
                events += run.events
                seed += 1
            }
            return sum
        }
        let (first, second) = (value(), value())
        print(String(first, radix: 16))
        exit(first == second ? 0 : 1)
    }

    private static func runFixedWorkload(_ count: Int) -> Never {
        do {
            var workload = try FixedWorkload(submitting: count)
            print("\(count) submitted, \(workload.run()) started")
            exit(0)
        } catch {
            print(error)
            exit(1)
        }
    }

    // MARK: Random runs

    private struct Outcome: Sendable {
        var events = 0
        var starts = 0
        var wakes = 0
        var idleWakes = 0
        /// The seed of a failed run.
        var failed: UInt64?
    }

    private static let stepsPerRun = 1500

    private static func runSteps(_ options: StressOptions, events: Int, isCompared: Bool) async -> Bool {
        let clock = ContinuousClock()
        let begin = clock.now
        let shadow = isCompared ? Self.shadow : nil
        let outcome = await withTaskGroup(of: Outcome.self) { group in
            for job in 0..<options.jobs {
                group.addTask { run(options, job: job, events: events / options.jobs, shadow: shadow) }
            }
            return await group.reduce(into: Outcome()) { sum, part in
                sum.events += part.events
                sum.starts += part.starts
                sum.wakes += part.wakes
                sum.idleWakes += part.idleWakes
                sum.failed = sum.failed ?? part.failed
            }
        }
        print(
            "\(outcome.events) events\(isCompared ? ", compared with the reference scheduler" : "") in "
                + "\(begin.duration(to: clock.now)): \(outcome.starts) starts, \(outcome.wakes) wakes, "
                + "\(outcome.idleWakes) without effect")
        fflush(nil)
        guard
            outcome.failed != nil
                || (events / options.jobs * options.jobs...2 * events + 1_000_000).contains(outcome.events)
        else {
            print("wrong number of events: the program was built from mixed versions of its sources; rebuild it")
            return false
        }
        guard let seed = outcome.failed else { return true }
        let log = try? SeededRun(seed: seed, policy: options.policy, shadow: shadow).shortestLog(steps: stepsPerRun)
        print("The run with seed \(seed) fails: \(log?.fault ?? "")")
        print("The shortest failing log, for --replay:")
        print(log?.text ?? "")
        return false
    }

    private static func run(
        _ options: StressOptions, job: Int, events: Int,
        shadow: (@Sendable (RunSetup, any Policy) -> any ReferenceScheduler)?
    ) -> Outcome {
        var outcome = Outcome()
        var seed = options.seed + UInt64(job)
        while outcome.events < events, outcome.failed == nil {
            let propertyRun = SeededRun(seed: seed, policy: options.policy, shadow: shadow).run(steps: stepsPerRun)
            outcome.events += propertyRun.eventCount
            outcome.starts += propertyRun.startCount
            outcome.wakes += propertyRun.wakeCount
            outcome.idleWakes += propertyRun.idleWakeCount
            if !propertyRun.faults.isEmpty { outcome.failed = seed }
            seed += UInt64(options.jobs)
        }
        return outcome
    }
}
