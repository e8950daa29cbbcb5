// SPDX-License-Identifier: Apache-2.0

/// Which connections a transfer may use, by name (SSID or profile), and whether it may roam.
///
/// A connection whose name nobody knows is on no list: it is refused where only some are allowed, and not where some
/// are denied. Only a network that is known to be foreign counts as roaming.
public struct ConnectionConstraint: Hashable, Sendable, Codable {
    /// The only connections that may be used, in order; nil for all.
    public private(set) var allowed: [String]?
    /// Connections that may not be used, whatever `allowed` says, in order.
    public private(set) var denied: [String]
    /// Whether a foreign mobile network will do.
    public var allowsRoaming: Bool

    /// A constraint; what is not named asks for nothing.
    public init(allowed: Set<String>? = nil, denied: Set<String> = [], allowsRoaming: Bool = true) {
        // In order, so that the same constraint is stored and compared the same.
        self.allowed = allowed?.sorted()
        self.denied = denied.sorted()
        self.allowsRoaming = allowsRoaming
    }

    /// Any connection.
    public static let any = ConnectionConstraint()

    /// Whether it asks for nothing.
    package var isAny: Bool { allowed == nil && denied.isEmpty && allowsRoaming }
}
