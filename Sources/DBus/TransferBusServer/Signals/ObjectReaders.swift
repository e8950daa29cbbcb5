// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The connections that have read one object's properties, and the properties that they were told last.
struct ObjectReaders {
    var names: Set<String> = []
    /// The properties that were told last.
    private(set) var told: [String: VariantValue] = [:]
    /// The number of answers that are on their way.
    var pending = 0
    /// Whether nothing will change any more.
    var isOver = false

    /// Takes in how the object stands, and returns what has changed since it was told last.
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
