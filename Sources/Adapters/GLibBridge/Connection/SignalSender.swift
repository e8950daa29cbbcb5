// SPDX-License-Identifier: Apache-2.0
import CGIO

/// Sends signals over a connection from any thread, in the order of the calls.
package final class SignalSender: @unchecked Sendable {
    // Guard for `@unchecked`: GDBus allows sending from any thread, and reference counts are atomic.
    private let connection: GObjectReference

    init(_ connection: BusConnection) {
        self.connection = GObjectReference(taking: g_object_ref(connection.connection.pointer))
    }

    /// Sends a signal to one receiver without waiting. If the connection is closed, the signal is dropped.
    ///
    /// - Throws: `VariantMismatchError` if the values do not have the type.
    package func emit(
        _ member: String, of interface: String, at path: String, to receiver: String, _ values: [VariantValue],
        type: String
    ) throws {
        let parameters = try VariantValue.list(values).variant(ofType: type)
        _ = g_dbus_connection_emit_signal(
            OpaquePointer(connection.pointer), receiver, path, interface, member, parameters, nil)
    }
}

extension BusConnection {
    /// An object that sends signals over this connection from any thread, as long as the connection is open.
    package var signalSender: SignalSender { SignalSender(self) }
}
