// SPDX-License-Identifier: Apache-2.0

/// The connections that a transfer may use, by name (SSID or profile), and whether it may roam.
///
/// A connection of unknown name is on no list. A list of allowed connections therefore excludes the connection, and a
/// list of denied connections does not. A connection counts as roaming only if a source reports a foreign network.
///
/// ```swift
/// let constraint = ConnectionConstraint(denied: ["Phone"], allowsRoaming: false)
/// ```
public struct ConnectionConstraint: Hashable, Sendable, Codable {
    /// The only connections that the transfer may use, sorted, or `nil` for all connections.
    public private(set) var allowed: [String]?
    /// The connections that the transfer may not use, sorted. This list overrides `allowed`.
    public private(set) var denied: [String]
    /// A Boolean value that indicates whether the transfer may roam. The default is `true`.
    public var allowsRoaming: Bool

    /// Creates a constraint. By default, it permits every connection.
    public init(allowed: Set<String>? = nil, denied: Set<String> = [], allowsRoaming: Bool = true) {
        // Sorted, so that equal constraints have equal stored forms.
        self.allowed = allowed?.sorted()
        self.denied = denied.sorted()
        self.allowsRoaming = allowsRoaming
    }

    /// A constraint that permits every connection.
    public static let any = ConnectionConstraint()

    /// A Boolean value that indicates whether the constraint permits every connection.
    package var isAny: Bool { allowed == nil && denied.isEmpty && allowsRoaming }
}

/// The kinds of links that a transfer may use. All cases require a network.
public enum LinkKindConstraint: Hashable, Sendable, Codable {
    /// Any network.
    case any
    /// A network of one of the given kinds.
    case only(LinkKinds)
}

/// The permission of a transfer to use metered networks, which may cost money.
public enum MeteredConstraint: String, Hashable, Sendable, Codable, CaseIterable {
    /// No statement: the transfer may cost money, unless the policy for discretionary work forbids it.
    case unstated
    /// The transfer may cost money, by explicit permission. A policy that uses only unmetered networks makes an
    /// exception.
    case allowed
    /// The transfer may not cost money.
    case unmetered
}
