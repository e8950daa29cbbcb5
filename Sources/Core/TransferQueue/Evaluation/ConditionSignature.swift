// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The conditions without the parts that no constraint and no policy uses. Conditions with the same signature allow the
/// same work.
///
/// The parts that do not count are listed, so that a new fact counts by itself.
package struct ConditionSignature: Hashable, Sendable {
    private let conditions: Conditions

    /// - Parameter connection: The connection's name, if the signature should depend on it.
    package init(_ conditions: Conditions, connection: String? = nil) {
        var used = conditions
        // On AC power the battery level does not matter, and a rising level should not cause a new evaluation.
        used.battery.value = BatteryState(level: used.power.value == .ac ? nil : used.battery.value.level)
        if used.sleep.value != .awake { used.sleep.value = .aboutToSleep }
        if used.hold.value != nil { used.hold.value = MachineHold(by: "", why: "") }
        used.connection.value = connection
        (used.interface.value, used.underlay.value) = (nil, nil)
        // Windows and prices have dates of their own.
        (used.priceCurve.value, used.localTime) = (nil, .utc)
        (used.disagreements, used.notes) = ([], [])
        used.power.forgetOrigin()
        used.battery.forgetOrigin()
        used.powerProfile.forgetOrigin()
        used.sleep.forgetOrigin()
        used.hold.forgetOrigin()
        used.network.forgetOrigin()
        used.linkKind.forgetOrigin()
        used.metered.forgetOrigin()
        used.roaming.forgetOrigin()
        used.connection.forgetOrigin()
        used.interface.forgetOrigin()
        used.underlay.forgetOrigin()
        used.priceCurve.forgetOrigin()
        for index in used.custom.indices { used.custom[index].fact.forgetOrigin() }
        self.conditions = used
    }

    /// Hashes only the parts with many possible values. Hashing the rest would cost more than it distinguishes.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(conditions.battery.value.level)
        hasher.combine(conditions.connection.value)
    }
}

extension Fact {
    /// Replaces everything except the value.
    fileprivate mutating func forgetOrigin() {
        self = Fact(value, source: .none, since: ClockReading(instant: .zero, wall: .init(nanosecondsSinceEpoch: 0)))
    }
}
