// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// For how much awake time this machine has not shown a condition: what tells "not now" from "never".
public struct ConditionHistory: Hashable, Sendable, Codable {
    /// What may never come.
    public enum Condition: String, Hashable, Sendable, CaseIterable {
        /// Mains.
        case ac
        /// A network that costs nothing.
        case unmetered
    }

    /// Nanoseconds.
    private var withoutAC: Int64 = 0
    /// Nanoseconds.
    private var withoutUnmetered: Int64 = 0

    /// Nothing observed yet.
    public init() {}

    /// Awake time since the condition was last there, or since observing began.
    public func awakeTime(without condition: Condition) -> Duration {
        switch condition {
        case .ac: .nanoseconds(max(0, withoutAC))
        case .unmetered: .nanoseconds(max(0, withoutUnmetered))
        }
    }

    /// So much awake time has gone by.
    mutating func add(_ elapsed: Duration, isOnAC: Bool, isUnmetered: Bool) {
        let nanoseconds = elapsed.wholeNanoseconds
        withoutAC = isOnAC ? 0 : withoutAC.addingSaturating(nanoseconds)
        withoutUnmetered = isUnmetered ? 0 : withoutUnmetered.addingSaturating(nanoseconds)
    }
}
