// SPDX-License-Identifier: Apache-2.0

/// The kinds of links that a transfer may use. All cases require a network.
public enum LinkKindConstraint: Hashable, Sendable, Codable {
    /// Any network.
    case any
    /// A network of one of the given kinds.
    case only(LinkKinds)
}
