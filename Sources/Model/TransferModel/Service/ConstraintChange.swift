// SPDX-License-Identifier: Apache-2.0

/// The constraints that a caller names, one by one; what is nil stays as it is.
///
/// ```swift
/// var change = ConstraintChange()
/// change.metered = .unmetered
/// change.apply(to: &constraints)
/// ```
package struct ConstraintChange: Hashable, Sendable, Codable {
    /// The kinds of power to choose from.
    package enum Power: String, Hashable, Sendable, Codable, CaseIterable {
        /// Any.
        case any
        /// Mains, or a battery above a level.
        case ac
    }

    /// What power it needs; `any` does not go with a level of the battery.
    package var power: Power?
    /// The percentage above which a battery will do as well as mains, 0…100.
    package var batteryAbove: Int?
    /// The kinds of link it may use; none: all of them.
    package var linkKinds: [LinkKind]?
    /// Whether it may cost money.
    package var metered: MeteredConstraint?
    /// Not before this date.
    package var notBefore: WallTime?
    /// To be done by this date.
    package var deadline: WallTime?
    /// Only within these windows of the local week; none: at any time.
    package var windows: [WindowConstraint.Window]?
    /// The only connections that may be used.
    package var connectionsAllowed: Set<String>?
    /// Connections that may not be used.
    package var connectionsDenied: Set<String>?
    /// Whether a foreign mobile network will do.
    package var roaming: Bool?

    /// No change.
    package init() {}

    /// The change that makes these constraints of none; what they do not ask for stays nil.
    package init(_ constraints: Constraints) {
        switch constraints.power {
        case .any: break
        case .ac: power = .ac
        case .acOrBattery(let above): (power, batteryAbove) = (.ac, above)
        }
        if case .only(let kinds) = constraints.linkKinds { linkKinds = kinds.kinds }
        if constraints.metered != .unstated { metered = constraints.metered }
        notBefore = constraints.notBefore?.date
        deadline = constraints.deadline?.date
        windows = constraints.window?.windows
        connectionsAllowed = constraints.connection.allowed.map(Set.init)
        if !constraints.connection.denied.isEmpty { connectionsDenied = Set(constraints.connection.denied) }
        if !constraints.connection.allowsRoaming { roaming = false }
    }

    /// Whether nothing is named.
    package var isEmpty: Bool { self == ConstraintChange() }

    /// The constraints that it makes of none.
    package var constraints: Constraints {
        var constraints = Constraints()
        apply(to: &constraints)
        return constraints
    }

    /// Changes what is named.
    package func apply(to constraints: inout Constraints) {
        if let batteryAbove {
            constraints.power = .acOrBattery(above: batteryAbove)
        } else if let power {
            constraints.power = power == .ac ? .ac : .any
        }
        if let linkKinds {
            let kinds = linkKinds.reduce(into: LinkKinds()) { $0.insert(LinkKinds($1)) }
            constraints.linkKinds = kinds.isEmpty ? .any : .only(kinds)
        }
        if let metered { constraints.metered = metered }
        if let notBefore { constraints.notBefore = NotBeforeConstraint(notBefore) }
        if let deadline { constraints.deadline = DeadlineConstraint(deadline) }
        if let windows { constraints.window = windows.isEmpty ? nil : WindowConstraint(windows: windows) }
        guard connectionsAllowed != nil || connectionsDenied != nil || roaming != nil else { return }
        let connection = constraints.connection
        constraints.connection = ConnectionConstraint(
            allowed: connectionsAllowed ?? connection.allowed.map(Set.init),
            denied: connectionsDenied ?? Set(connection.denied), allowsRoaming: roaming ?? connection.allowsRoaming)
    }
}
