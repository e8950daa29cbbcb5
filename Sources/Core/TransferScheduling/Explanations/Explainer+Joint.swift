// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

extension Explainer {
    /// The maximum number of changes of a joint remedy. A longer list helps nobody.
    private static let maximumChanges = 4

    /// Returns the changes that together start a transfer that no single change starts. Returns `nil` if there are none,
    /// or if time alone starts the transfer as early.
    ///
    /// - Parameter release: The date at which time alone starts the transfer; `nil` if time alone does not.
    func jointRemedy(of entry: TransferEntry, before release: WallTime?) -> JointRemedy? {
        let now = evaluator.now
        var (changed, then) = ((entry: entry, conditions: evaluator.context.conditions), evaluator)
        var (changes, date): ([Remedy], WallTime?) = ([], nil)
        // One iteration for each change, each debounce, and each date.
        for _ in 0..<16 {
            then.context.conditions = changed.conditions
            guard case .wait(let reasons, let reevaluation) = then.verdict(for: changed.entry) else {
                let after = now.instant.duration(to: then.now.instant)
                guard !changes.isEmpty, release.map({ then.now.wall < $0 }) ?? true else { return nil }
                return JointRemedy(changes: changes, after: after, date: date == nil ? nil : then.now.wall)
            }
            let candidate = reasons.lazy.compactMap { reason in
                candidates(releasing: reason, of: changed.entry).first.map { ($0.0(.zero), $0.1) }
            }.first
            if let (remedy, change) = candidate {
                guard changes.count < Self.maximumChanges, !changes.contains(remedy) else { return nil }
                change(&changed)
                changed.conditions.markChanges(since: evaluator.conditions, at: now)
                changes.append(remedy)
                // All changes happen at once, and now.
                (then.context.now, date) = (now, nil)
            } else {
                guard let reevaluation, then.now.instant < reevaluation else { return nil }
                then.context.now = now.advanced(by: now.instant.duration(to: reevaluation))
                if !reasons.allSatisfy(\.isDebounce) { date = then.now.wall }
            }
        }
        return nil
    }
}
