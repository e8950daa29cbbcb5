// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The awake time that has passed since each condition was last present.
///
/// Policies use this time to distinguish "not now" from "never".
public struct ConditionHistory: Hashable, Sendable, Codable {
    /// A condition that may never occur on a machine.
    public enum Condition: String, Hashable, Sendable, CaseIterable {
        /// AC power.
        case ac
        /// An unmetered network.
        case unmetered
    }

    /// The awake time without AC power, in nanoseconds.
    private var withoutAC: Int64 = 0
    /// The awake time without an unmetered network, in nanoseconds.
    private var withoutUnmetered: Int64 = 0

    /// Creates an empty history.
    public init() {}

    /// Returns the awake time since `condition` was last present, or since observation began.
    public func awakeTime(without condition: Condition) -> Duration {
        switch condition {
        case .ac: .nanoseconds(max(0, withoutAC))
        case .unmetered: .nanoseconds(max(0, withoutUnmetered))
        }
    }

    /// Records a period of awake time.
    mutating func add(_ nanoseconds: Int64, isOnAC: Bool, isUnmetered: Bool) {
        withoutAC = isOnAC ? 0 : withoutAC.addingSaturating(nanoseconds)
        withoutUnmetered = isUnmetered ? 0 : withoutUnmetered.addingSaturating(nanoseconds)
    }
}
