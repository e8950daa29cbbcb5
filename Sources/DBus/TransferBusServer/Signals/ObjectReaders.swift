// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The connections that have read an object's properties, with the values that were last reported to them.
struct ObjectReaders {
    var names: Set<String> = []
    /// The values that were last reported.
    private(set) var lastReported: [String: VariantValue] = [:]
    /// The number of pending replies.
    var pending = 0
    /// Whether the object no longer changes.
    var isEnded = false

    /// Records the object's current properties. Returns those that have changed since the last report.
    mutating func changes(to properties: [String: VariantValue]) -> [String: VariantValue] {
        let changed = properties.filter { lastReported[$0.key] != $0.value }
        lastReported.merge(changed) { $1 }
        return changed
    }

    /// Records the values of a reply.
    ///
    /// - Returns: The values that were reported while the reply was created, if the reply contains older values.
    mutating func record(_ reply: [String: VariantValue]) -> [String: VariantValue] {
        let missed = lastReported.filter { name, value in reply[name].map { $0 != value } ?? false }
        // Changes to these properties are not signaled, so the values are never compared.
        lastReported.merge(reply.filter { $0.key != "Directory" && $0.key != "Constraints" }) { current, _ in current }
        return missed
    }
}
