// SPDX-License-Identifier: Apache-2.0

/// Why a connection may not be used.
public enum ConnectionDenial: Hashable, Sendable {
    /// It is on the list of those denied.
    case denied(String)
    /// It is not on the list of those allowed; nil where its name is unknown.
    case notAllowed(String?)
    /// It is a foreign mobile network.
    case roaming
}
