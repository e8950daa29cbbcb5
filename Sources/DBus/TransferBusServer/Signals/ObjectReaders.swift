// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The connections that have read an object's properties, with the values that were last reported to them.
struct ObjectReaders {
    var names: Set<String> = []
    /// The values that were last reported.
    private(set) var told: [String: VariantValue] = [:]
    /// The number of unfinished answers.
    var pending = 0
    /// Whether the object no longer changes.
    var isOver = false

    /// Records the object's current properties. Returns those that have changed since the last report.
    mutating func changes(to properties: [String: VariantValue]) -> [String: VariantValue] {
        let changed = properties.filter { told[$0.key] != $0.value }
        told.merge(changed) { $1 }
        return changed
    }

    /// Records the values of an answer.
    ///
    /// - Returns: the values that were reported while the answer was made, if the answer contains older values.
    mutating func note(_ answer: [String: VariantValue]) -> [String: VariantValue] {
        let missed = told.filter { name, value in answer[name].map { $0 != value } ?? false }
        // Changes to these properties are not signaled, so the values are never compared.
        told.merge(answer.filter { $0.key != "Directory" && $0.key != "Constraints" }) { current, _ in current }
        return missed
    }
}
