// SPDX-License-Identifier: Apache-2.0

/// How a hostile server listens.
public struct HostileServerOptions: Sendable {
    /// Whether it listens on ::1 instead of 127.0.0.1.
    ///
    /// Default false.
    public var usesIPv6 = false
    /// Speaks TLS with this certificate; nil speaks plainly.
    public var certificate: HostileCertificate?
    /// How many connections the kernel keeps that were not taken yet; Linux keeps one more.
    ///
    /// Default 512.
    public var backlog: Int32 = 512
    /// Whether connections are taken at once; else only after `admit`: until then they wait in the backlog, and those
    /// for which there is no room are not answered at all.
    ///
    /// Default true.
    public var isAdmitting = true
    /// How many connections there may be at once; nil for any number.
    public var limit: ConnectionLimit?

    /// The defaults.
    public init() {}
}

/// What becomes of connections above a number.
public enum ConnectionLimit: Hashable, Sendable {
    /// Those above are closed at once.
    case closing(above: Int)
    /// Those above wait in the backlog until an earlier one ends.
    case waiting(above: Int)
}
