// SPDX-License-Identifier: Apache-2.0

/// A reason why a transfer may not use a connection.
public enum ConnectionDenial: Hashable, Sendable {
    /// The connection is on the list of denied connections. The value is its name.
    case denied(String)
    /// The connection is not on the list of allowed connections. The value is its name, or `nil` if the name is
    /// unknown.
    case notAllowed(String?)
    /// The connection is roaming on a foreign mobile network.
    case roaming
}
