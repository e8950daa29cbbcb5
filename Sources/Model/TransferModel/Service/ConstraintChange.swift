// SPDX-License-Identifier: Apache-2.0

/// A change of individual constraints. Properties that are `nil` stay unchanged.
///
/// ```swift
/// var change = ConstraintChange()
/// change.metered = .unmetered
/// change.apply(to: &constraints)
/// ```
package struct ConstraintChange: Hashable, Sendable, Codable {
    /// The selectable power supplies.
    package enum Power: String, Hashable, Sendable, Codable, CaseIterable {
        /// Any power supply.
        case any
        /// AC power, or a battery above a level.
        case ac
    }

    /// The constraints that a change can remove. The raw value is the constraint's key on D-Bus.
    package enum Removable: String, Hashable, Sendable, Codable, CaseIterable {
        case power
        case linkKinds = "link-kinds"
        case metered
        case notBefore = "not-before"
        case deadline
        case windows
        case patience
        case priceBelow = "price-below"
        case custom
    }

    /// The constraints to remove, before the other changes apply.
    package var removed: [Removable]?
    /// The required power supply. The value `any` cannot be combined with a battery level.
    package var power: Power?
    /// The charge above which battery power is acceptable as well as AC power, in percent, 0…100.
    package var batteryAbove: Int?
    /// The allowed kinds of links. An empty list allows all kinds.
    package var linkKinds: [LinkKind]?
    /// The permission to cost money.
    package var metered: MeteredConstraint?
    /// The earliest start date.
    package var notBefore: WallTime?
    /// The date by which the transfer should finish.
    package var deadline: WallTime?
    /// The windows of the local week in which the transfer may run. An empty list allows any time.
    package var windows: [WindowConstraint.Window]?
    /// The only connections that the transfer may use.
    package var connectionsAllowed: Set<String>?
    /// The connections that the transfer may not use.
    package var connectionsDenied: Set<String>?
    /// A Boolean value that indicates whether the transfer may roam on a foreign mobile network.
    package var roaming: Bool?
    /// The price of energy below which the transfer may run, in the unit of the price curve. A finite number.
    package var priceBelow: Double?
    /// The patience of the user, which the default policy follows.
    package var patience: Patience?
    /// The required values of conditions that the user has defined. Requirements of other such conditions stay.
    package var custom: [CustomConstraint]?

    /// Creates a change that changes nothing.
    package init() {}

    /// Creates the change that produces `constraints` from the defaults. Properties for absent requirements stay
    /// `nil`.
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
        priceBelow = constraints.price?.below
        patience = constraints.patience
        if !constraints.custom.isEmpty { custom = constraints.custom }
    }

    /// A Boolean value that indicates whether the change changes nothing.
    package var isEmpty: Bool { self == ConstraintChange() }

    /// The constraints that the change produces from the defaults.
    package var constraints: Constraints {
        var constraints = Constraints()
        apply(to: &constraints)
        return constraints
    }

    /// Applies the change to `constraints`.
    package func apply(to constraints: inout Constraints) {
        for constraint in removed ?? [] {
            switch constraint {
            case .power: constraints.power = .any
            case .linkKinds: constraints.linkKinds = .any
            case .metered: constraints.metered = .unstated
            case .notBefore: constraints.notBefore = nil
            case .deadline: constraints.deadline = nil
            case .windows: constraints.window = nil
            case .patience: constraints.patience = nil
            case .priceBelow: constraints.price = nil
            case .custom: constraints.custom = []
            }
        }
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
        if let priceBelow { constraints.price = PriceConstraint(below: priceBelow) ?? constraints.price }
        if let patience { constraints.patience = patience }
        for requirement in custom ?? [] { constraints.custom.require(requirement) }
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

/// A change of a transfer's requirements or of its URL. Properties that are `nil` stay unchanged.
package struct ChangeRequest: Hashable, Sendable, Codable {
    /// The new kind of work.
    package var kind: WorkKind?
    /// The new priority, 0…1000. Higher values run first.
    package var priority: Int?
    /// The constraints that change.
    package var constraints = ConstraintChange()
    /// The new URL of the file.
    package var url: String?

    /// Creates a request that changes nothing.
    package init() {}
}
