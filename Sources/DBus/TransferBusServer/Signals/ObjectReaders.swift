// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Who has read an object's properties, and what they were told last.
struct ObjectReaders {
    var names: Set<String> = []
    private(set) var told: [String: VariantValue] = [:]
    /// How many answers are on their way.
    var pending = 0
    /// Whether nothing will change any more.
    var isOver = false

    /// What has changed since it was told last.
    mutating func changes(to properties: [String: VariantValue]) -> [String: VariantValue] {
        let changed = properties.filter { told[$0.key] != $0.value }
        told.merge(changed) { $1 }
        return changed
    }

    /// Notes what somebody is answered.
    ///
    /// - Returns: what was told while the answer was made, so that the answer has it as it was before.
    mutating func note(_ answer: [String: VariantValue]) -> [String: VariantValue] {
        let missed = told.filter { name, value in answer[name].map { $0 != value } ?? false }
        // These change without a word, so that they are never compared.
        told.merge(answer.filter { $0.key != "Directory" && $0.key != "Constraints" }) { current, _ in current }
        return missed
    }
}
