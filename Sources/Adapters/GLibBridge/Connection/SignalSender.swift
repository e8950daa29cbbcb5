// SPDX-License-Identifier: Apache-2.0
import CGIO

/// Sends signals over a connection from any thread, in the order in which it is asked.
package final class SignalSender: @unchecked Sendable {
    // Guard for @unchecked: GDBus lets any thread send, and counts references atomically.
    private let connection: GObjectReference

    init(_ connection: BusConnection) {
        self.connection = GObjectReference(taking: g_object_ref(connection.connection.pointer))
    }

    /// Sends a signal to one receiver. Does not wait; what cannot be sent any more, since the bus has gone, goes nowhere.
    ///
    /// - Throws: `VariantMismatchError` where the values are not of that type.
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
    /// What sends over this connection from any thread, as long as it is open.
    package var signalSender: SignalSender { SignalSender(self) }
}
