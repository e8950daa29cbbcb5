// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The values of all facts that constraints and policies decide by: conditions with the same signature allow the same.
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

    /// - Parameter connection: the connection's name, where that is to be told apart.
    package init(_ conditions: borrowing Conditions, connection: String? = nil) {
        power = conditions.power.value
        // On mains nobody asks how full the battery is, which may rise without another evaluation of everything.
        level = conditions.power.value == .ac ? nil : conditions.battery.value.level
        profile = conditions.powerProfile.value
        isAwake = conditions.sleep.value == .awake
        isHeld = conditions.hold.value != nil
        network = conditions.network.value
        linkKind = conditions.linkKind.value
        metered = conditions.metered.value
        roaming = conditions.roaming.value
        self.connection = connection
    }

    /// Hashes only what takes many values: the rest would cost more than it tells apart.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(level)
        hasher.combine(connection)
    }
}
