// SPDX-License-Identifier: Apache-2.0
import CGIO

extension BusConnection {
    /// Exports an object with its methods. Its properties arrive as calls of `org.freedesktop.DBus.Properties`. Calls
    /// arrive on this thread until the returned handle is released.
    ///
    /// - Parameters:
    ///   - xml: A D-Bus introspection document that describes `interface`.
    ///   - flow: The limiter of calls; must be the same one that was passed to ``limit(by:)``.
    package func export(
        _ interface: String, describedBy xml: String, at path: String, flow: BusFlow? = nil,
        _ onCall: @escaping (BusCall) -> Void
    ) throws -> BusRegistration {
        var error: UnsafeMutablePointer<GError>?
        guard let node = g_dbus_node_info_new_for_xml(xml, &error) else { throw GLibError(taking: error) }
        // The registration holds references to what it needs.
        defer { g_dbus_node_info_unref(node) }
        var vtable = GDBusInterfaceVTable()
        vtable.method_call = { _, _, _, _, _, parameters, invocation, data in
            guard let invocation, let data else { return }
            let handler = Unmanaged<CallHandler>.fromOpaque(data).takeUnretainedValue()
            handler.body(BusCall(taking: invocation, parameters: parameters, flow: handler.flow))
        }
        let id = g_dbus_connection_register_object(
            pointer, path, g_dbus_node_info_lookup_interface(node, interface), &vtable,
            Unmanaged.passRetained(CallHandler(onCall, flow)).toOpaque(),
            { data in if let data { Unmanaged<CallHandler>.fromOpaque(data).release() } }, &error)
        guard id != 0 else { throw GLibError(taking: error) }
        let connection = connection
        return BusRegistration { g_dbus_connection_unregister_object(OpaquePointer(connection.pointer), id) }
    }

    /// Returns whether `name` is a valid well-known bus name.
    package static func isWellKnownName(_ name: String) -> Bool {
        !name.hasPrefix(":") && !name.utf8.contains(0) && g_dbus_is_name(name) != 0
    }

    /// Requests a well-known name, without queuing behind another owner.
    ///
    /// - Parameter body: Receives true after this connection has acquired the name, and false if another connection
    ///   owns the name or the name was lost.
    package func own(_ name: String, _ body: @escaping (Bool) -> Void) -> BusRegistration {
        let id = g_bus_own_name_on_connection(
            pointer, name, G_BUS_NAME_OWNER_FLAGS_DO_NOT_QUEUE,
            { _, _, data in
                if let data { Unmanaged<NameHandler>.fromOpaque(data).takeUnretainedValue().body(true) }
            },
            { _, _, data in
                if let data { Unmanaged<NameHandler>.fromOpaque(data).takeUnretainedValue().body(false) }
            }, Unmanaged.passRetained(NameHandler(body)).toOpaque(),
            { data in if let data { Unmanaged<NameHandler>.fromOpaque(data).release() } })
        return BusRegistration { g_bus_unown_name(id) }
    }

    /// Sends a signal to one receiver, or to all subscribers if `receiver` is `nil`. May be called from any thread.
    ///
    /// - Throws: `VariantMismatchError` if the values do not have the type, `GLibError` if the connection is closed.
    package func emit(
        _ member: String, of interface: String, at path: String, to receiver: String?, _ values: [VariantValue],
        type: String
    ) throws {
        var error: UnsafeMutablePointer<GError>?
        let parameters = try VariantValue.list(values).variant(ofType: type)
        guard g_dbus_connection_emit_signal(pointer, receiver, path, interface, member, parameters, &error) != 0
        else { throw GLibError(taking: error) }
    }

    /// Blocks until all queued messages have been sent or the connection is closed.
    package func flush() { g_dbus_connection_flush_sync(pointer, nil, nil) }
}

private final class CallHandler {
    let body: (BusCall) -> Void
    let flow: BusFlow?

    init(_ body: @escaping (BusCall) -> Void, _ flow: BusFlow?) { (self.body, self.flow) = (body, flow) }
}

private final class NameHandler {
    let body: (Bool) -> Void

    init(_ body: @escaping (Bool) -> Void) { self.body = body }
}

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
