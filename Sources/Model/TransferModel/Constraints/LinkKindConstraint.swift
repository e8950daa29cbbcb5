// SPDX-License-Identifier: Apache-2.0

/// What kinds of link a transfer may use. Asking for any still asks for a network.
public enum LinkKindConstraint: Hashable, Sendable, Codable {
    /// Any network.
    case any
    /// One of these kinds.
    case only(LinkKinds)
}
