// SPDX-License-Identifier: Apache-2.0

/// The options of a hostile server.
public struct HostileServerOptions: Sendable {
    /// A Boolean value that indicates whether the server listens on ::1 instead of 127.0.0.1.
    ///
    /// The default is `false`.
    public var usesIPv6 = false
    /// The certificate for TLS, or `nil` for plain HTTP.
    public var certificate: HostileCertificate?
    /// The number of connections that the kernel queues before acceptance. Linux queues one more.
    ///
    /// The default is 512.
    public var backlog: Int32 = 512
    /// A Boolean value that indicates whether connections are accepted immediately.
    ///
    /// If `false`, connections wait in the backlog until `admit` is called. Connections beyond the backlog get no
    /// response. The default is `true`.
    public var isAdmitting = true
    /// The limit on simultaneous connections, or `nil` for no limit.
    public var limit: ConnectionLimit?

    /// Creates options with the default values.
    public init() {}

    /// The address of the server.
    var host: String { usesIPv6 ? "::1" : "127.0.0.1" }
}

/// The treatment of connections above a limit.
public enum ConnectionLimit: Hashable, Sendable {
    /// Closes excess connections immediately.
    case closing(above: Int)
    /// Leaves excess connections in the backlog until an earlier connection ends.
    case waiting(above: Int)
}
