// SPDX-License-Identifier: Apache-2.0

/// The kinds of link that a transfer may use. Even `any` requires a network.
public enum LinkKindConstraint: Hashable, Sendable, Codable {
    /// Any network.
    case any
    /// One of these kinds.
    case only(LinkKinds)
}
