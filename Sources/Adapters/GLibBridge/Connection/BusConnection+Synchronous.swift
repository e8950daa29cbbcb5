// SPDX-License-Identifier: Apache-2.0
import CGIO

extension BusConnection {
    /// Calls a method of the bus itself and blocks for the reply. Use only if GDBus needs a value synchronously.
    ///
    /// - Returns: The values of the reply; `nil` if the bus returns an error or does not reply in time.
    package func callBusSynchronously(_ method: String, _ argument: String? = nil, milliseconds: Int32)
        -> [VariantValue]?
    {
        var values: [OpaquePointer?] = argument.map { [g_variant_new_string($0)] } ?? []
        let reply = g_dbus_connection_call_sync(
            pointer, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method,
            g_variant_new_tuple(&values, gsize(values.count)), nil, G_DBUS_CALL_FLAGS_NO_AUTO_START, milliseconds, nil,
            nil)
        guard let reply else { return nil }
        defer { g_variant_unref(reply) }
        guard case .list(let results) = VariantValue(copying: reply) else { return nil }
        return results
    }
}
