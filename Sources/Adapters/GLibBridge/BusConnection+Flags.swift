// SPDX-License-Identifier: Apache-2.0
import CGIO

extension BusConnection {
    /// Calls `body` with the first argument of each signal that matches, where that is a truth value, until the handle
    /// goes away.
    package func subscribe(
        toFlag member: String, of interface: String, at path: String, sender: String,
        _ body: @escaping (Bool) -> Void
    ) -> BusRegistration {
        let connection = connection
        let id = g_dbus_connection_signal_subscribe(
            pointer, sender, interface, member, path, nil, G_DBUS_SIGNAL_FLAGS_NONE,
            { _, _, _, _, _, parameters, data in
                guard let data, let parameters, g_variant_n_children(parameters) > 0,
                    let child = g_variant_get_child_value(parameters, 0)
                else { return }
                defer { g_variant_unref(child) }
                guard case .bool(let flag) = VariantValue(copying: child) else { return }
                Unmanaged<FlagCallback>.fromOpaque(data).takeUnretainedValue().body(flag)
            }, Unmanaged.passRetained(FlagCallback(body)).toOpaque(),
            { data in if let data { Unmanaged<FlagCallback>.fromOpaque(data).release() } })
        return BusRegistration {
            g_dbus_connection_signal_unsubscribe(OpaquePointer(connection.pointer), id)
        }
    }
}

private final class FlagCallback {
    let body: (Bool) -> Void

    init(_ body: @escaping (Bool) -> Void) { self.body = body }
}
