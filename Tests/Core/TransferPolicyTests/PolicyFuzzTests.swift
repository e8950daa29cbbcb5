// SPDX-License-Identifier: Apache-2.0

import RandomRuns
import Testing
import TransferModel
import TransferPolicy

/// Every policy, with any parameters, on any subject in any context. No input ends the process or breaks the
/// contract.
@Suite struct PolicyFuzzTests {
    private static let count = 1000 * RandomRuns.factor

    @Test("Every policy returns the same verdict for the same input", arguments: PolicyCatalog.entries.map(\.name))
    func contract(name: String) throws {
        let base = RandomRuns.seeds(1).lowerBound
        print("PolicyFuzzTests \(name): TRANSFER_SEED=\(base)")
        let entry = try #require(PolicyCatalog.entries.first { $0.name == name })
        var generator = PolicyGenerator(seed: base)
        var (runs, waits) = (0, 0)
        var context = generator.context()
        for step in 0..<Self.count {
            let policy = try PolicyCatalog.policy(named: generator.name(of: entry))
            // A context takes longer to generate than to evaluate, so several subjects share a context.
            if step % 4 == 0 { context = generator.context() }
            let subject = generator.subject()
            let verdict = policy.verdict(for: subject, in: context)
            let fault = Self.fault(verdict, policy.verdict(for: subject, in: context), at: context.now.instant)
            switch verdict {
            case .run: runs += 1
            case .wait: waits += 1
            }
            guard let fault else { continue }
            Issue.record("TRANSFER_SEED=\(base), step \(step): \(fault)\n\(verdict)\n\(policy)\n\(subject)\n\(context)")
            return
        }
        #expect(runs > 0 && (waits > 0 || name == "immediate"), "\(runs) runs, \(waits) holds")
    }

    @Test("Invalid parameters set in Swift code do not trap")
    func nonsense() {
        let base = UInt64.random(in: 0 ... .max / 2)
        print("PolicyFuzzTests nonsense: seed \(base)")
        var generator = PolicyGenerator(seed: base)
        for _ in 0..<2000 {
            let (subject, context) = (generator.subject(), generator.context())
            for policy in generator.nonsense() {
                let verdict = policy.verdict(for: subject, in: context)
                let fault = Self.fault(verdict, policy.verdict(for: subject, in: context), at: context.now.instant)
                guard let fault else { continue }
                Issue.record("seed \(base): \(fault)\n\(verdict)\n\(policy)\n\(subject)\n\(context)")
                return
            }
        }
    }

    /// Returns a description of the fault in a verdict, or `nil` if the verdict is correct.
    private static func fault(_ verdict: Verdict, _ again: Verdict, at now: Instant) -> String? {
        if verdict != again { return "another answer to the same question: \(again)" }
        switch verdict {
        case .run(_, let reevaluation?) where reevaluation <= now,
            .wait(_, let reevaluation?) where reevaluation <= now:
            return "looks back"
        case .wait([], _): return "holds without a reason"
        case .run, .wait: return nil
        }
    }
}
