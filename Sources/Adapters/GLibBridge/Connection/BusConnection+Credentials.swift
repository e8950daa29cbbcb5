// SPDX-License-Identifier: Apache-2.0
import CGIO

/// The process behind a connection, as the bus reports it.
package struct BusCredentials: Hashable, Sendable {
    /// The process identifier.
    package var process: Int32
    /// A pidfd of the process, which the receiver must close; `nil` if the bus provides none (dbus-daemon before
    /// 1.15.8).
    package var processDescriptor: Int32?
}

extension BusConnection {
    private static let method = "GetConnectionCredentials"
    private static let bus = "org.freedesktop.DBus"
    private static let path = "/org/freedesktop/DBus"
    /// The maximum time to wait for the bus, in milliseconds.
    private static let limit: Int32 = 10_000

    /// Queries the bus for the process behind a connection. Passes `nil` to `completion` if the connection does not
    /// exist.
    package func credentials(of name: String, completion: @escaping (BusCredentials?) -> Void) {
        g_dbus_connection_call_with_unix_fd_list(
            pointer, Self.bus, Self.path, Self.bus, Self.method, Self.arguments(name), nil,
            G_DBUS_CALL_FLAGS_NO_AUTO_START, Self.limit, nil, nil,
            { source, result, data in
                guard let data else { return }
                let handler = Unmanaged<CredentialsHandler>.fromOpaque(data).takeRetainedValue()
                var list: UnsafeMutablePointer<GUnixFDList>?
                let tuple = g_dbus_connection_call_with_unix_fd_list_finish(
                    source.map { OpaquePointer($0) }, &list, result, nil)
                handler.body(BusConnection.credentials(tuple, list))
            }, Unmanaged.passRetained(CredentialsHandler(completion)).toOpaque())
    }

    /// Queries the bus for the process behind a connection, and blocks for at most two seconds.
    package func credentialsSynchronously(of name: String) -> BusCredentials? {
        var list: UnsafeMutablePointer<GUnixFDList>?
        let tuple = g_dbus_connection_call_with_unix_fd_list_sync(
            pointer, Self.bus, Self.path, Self.bus, Self.method, Self.arguments(name), nil,
            G_DBUS_CALL_FLAGS_NO_AUTO_START, 2000, nil, &list, nil, nil)
        return Self.credentials(tuple, list)
    }

    private static func arguments(_ name: String) -> OpaquePointer? {
        var values: [OpaquePointer?] = [g_variant_new_string(name)]
        return g_variant_new_tuple(&values, 1)
    }

    /// Decodes a reply. Takes ownership of one reference to each argument.
    private static func credentials(
        _ tuple: OpaquePointer?, _ list: UnsafeMutablePointer<GUnixFDList>?
    ) -> BusCredentials? {
        defer { if let list { g_object_unref(list) } }
        guard let tuple else { return nil }
        defer { g_variant_unref(tuple) }
        guard case .list(let values) = VariantValue(copying: tuple), case .dictionary(let fields)? = values.first,
            case .integer(let number)? = fields["ProcessID"], let process = Int32(exactly: number), process > 0
        else { return nil }
        var credentials = BusCredentials(process: process)
        if case .handle(let index)? = fields["ProcessFD"], let list {
            let descriptor = g_unix_fd_list_get(list, index, nil)
            if descriptor >= 0 { credentials.processDescriptor = descriptor }
        }
        return credentials
    }
}

private final class CredentialsHandler {
    let body: (BusCredentials?) -> Void

    init(_ body: @escaping (BusCredentials?) -> Void) { self.body = body }
}
