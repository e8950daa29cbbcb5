// SPDX-License-Identifier: Apache-2.0
import CGIO

extension BusConnection {
    /// Calls a method of the bus itself and blocks for the answer. Use only if GDBus needs an answer synchronously.
    ///
    /// - Returns: The answer; nil if the bus returns an error or does not answer in time.
    package func askBus(_ method: String, _ argument: String? = nil, milliseconds: Int32) -> [VariantValue]? {
        var values: [OpaquePointer?] = argument.map { [g_variant_new_string($0)] } ?? []
        let reply = g_dbus_connection_call_sync(
            pointer, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method,
            g_variant_new_tuple(&values, gsize(values.count)), nil, G_DBUS_CALL_FLAGS_NO_AUTO_START, milliseconds, nil,
            nil)
        guard let reply else { return nil }
        defer { g_variant_unref(reply) }
        guard case .list(let answer) = VariantValue(copying: reply) else { return nil }
        return answer
    }
}
