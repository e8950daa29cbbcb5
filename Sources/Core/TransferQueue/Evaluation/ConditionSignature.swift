// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The values of all facts that constraints and policies use. Conditions with the same signature allow the same work.
package struct ConditionSignature: Hashable, Sendable {
    private let power: PowerSource
    private let level: Int?
    private let profile: PowerProfile
    private let isAwake: Bool
    private let isHeld: Bool
    private let network: Reachability
    private let linkKind: LinkKind
    private let metered: Metered
    private let roaming: Roaming
    private let connection: String?
    /// The known values of custom conditions by name.
    private let custom: [String: String]

    /// - Parameter connection: The connection's name, if the signature should depend on it.
    package init(_ conditions: borrowing Conditions, connection: String? = nil) {
        power = conditions.power.value
        // On AC power the battery level does not matter, and a rising level should not cause a new evaluation.
        level = conditions.power.value == .ac ? nil : conditions.battery.value.level
        profile = conditions.powerProfile.value
        isAwake = conditions.sleep.value == .awake
        isHeld = conditions.hold.value != nil
        network = conditions.network.value
        linkKind = conditions.linkKind.value
        metered = conditions.metered.value
        roaming = conditions.roaming.value
        self.connection = connection
        var custom: [String: String] = [:]
        for condition in conditions.custom { custom[condition.name] = condition.fact.value }
        self.custom = custom
    }

    /// Hashes only the members with many possible values. Hashing the rest would cost more than it distinguishes.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(level)
        hasher.combine(connection)
    }
}
