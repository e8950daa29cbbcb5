// SPDX-License-Identifier: Apache-2.0
import CGIO
import Glibc

/// A private connection to a message bus, for the thread of one `GLibExecutor`.
///
/// The connection is private, so that this program decides when to close it, and its end never ends the process.
package final class BusConnection {
    let connection: GObjectReference
    var pointer: OpaquePointer { OpaquePointer(connection.pointer) }

    private init(taking connection: OpaquePointer) {
        self.connection = GObjectReference(taking: UnsafeMutableRawPointer(connection))
        g_dbus_connection_set_exit_on_close(connection, 0)
    }

    /// Connects to the bus at `address`. Calls `completion` on this thread, exactly once.
    package static func open(
        address: String, cancellation: Cancellation,
        completion: @escaping (Result<BusConnection, GLibError>) -> Void
    ) {
        let flags = GDBusConnectionFlags(
            G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
        g_dbus_connection_new_for_address(
            address, flags, nil, cancellation.cancellable,
            { _, result, data in
                guard let data else { return }
                let completion = Unmanaged<Completion<BusConnection>>.fromOpaque(data).takeRetainedValue()
                var error: UnsafeMutablePointer<GError>?
                if let connection = g_dbus_connection_new_for_address_finish(result, &error) {
                    completion.body(.success(BusConnection(taking: connection)))
                } else {
                    completion.body(.failure(GLibError(taking: error)))
                }
            }, Unmanaged.passRetained(Completion(completion)).toOpaque())
    }

    /// Returns the address of the system bus from the environment and GIO's defaults; `nil` if there is none.
    package static func systemBusAddress() -> String? {
        guard let address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SYSTEM, nil, nil) else { return nil }
        defer { g_free(address) }
        return String(cString: address)
    }

    /// Calls `body` when the connection is closed.
    package func onClosed(_ body: @escaping () -> Void) { connection.connect("closed", body) }

    /// Closes the connection without waiting.
    package func close() { g_dbus_connection_close(pointer, nil, nil, nil) }

    /// Reads all properties of an interface, without a time limit; the caller sets its own.
    package func properties(
        of interface: String, at path: String, service: String, cancellation: Cancellation,
        completion: @escaping (Result<[String: VariantValue], GLibError>) -> Void
    ) {
        call(
            service: service, path: path, method: "GetAll", arguments: [interface],
            replyType: cgio_variant_type_properties_reply(), cancellation: cancellation,
            completion: Completion { result in
                completion(result.map { VariantValue.properties(copying: $0.pointer) })
            })
    }

    /// Reads one property, without a time limit; the caller sets its own.
    package func property(
        _ name: String, of interface: String, at path: String, service: String, cancellation: Cancellation,
        completion: @escaping (Result<VariantValue, GLibError>) -> Void
    ) {
        call(
            service: service, path: path, method: "Get", arguments: [interface, name],
            replyType: cgio_variant_type_value_reply(), cancellation: cancellation,
            completion: Completion { result in completion(result.map { VariantValue(copying: $0.pointer) }) })
    }

    private func call(
        service: String, path: String, method: String, arguments: [String], replyType: OpaquePointer?,
        cancellation: Cancellation, completion: Completion<Reply>
    ) {
        var values: [OpaquePointer?] = arguments.map { g_variant_new_string($0) }
        let tuple = g_variant_new_tuple(&values, gsize(values.count))
        g_dbus_connection_call(
            pointer, service, path, "org.freedesktop.DBus.Properties", method, tuple, replyType,
            G_DBUS_CALL_FLAGS_NO_AUTO_START, G_MAXINT, cancellation.cancellable,
            { source, result, data in
                guard let data else { return }
                let completion = Unmanaged<Completion<Reply>>.fromOpaque(data).takeRetainedValue()
                var error: UnsafeMutablePointer<GError>?
                let connection = source.map { OpaquePointer($0) }
                guard let tuple = g_dbus_connection_call_finish(connection, result, &error) else {
                    return completion.body(.failure(GLibError(taking: error)))
                }
                defer { g_variant_unref(tuple) }
                // GDBus has checked the type of the reply, which contains one value.
                guard let child = g_variant_get_child_value(tuple, 0) else { return }
                defer { g_variant_unref(child) }
                completion.body(.success(Reply(pointer: child)))
            }, Unmanaged.passRetained(completion).toOpaque())
    }

    /// Calls `body` for each matching signal, until the returned handle is released. If `path` is `nil`, signals of
    /// every object match.
    package func subscribe(
        sender: String, interface: String, member: String, path: String?, firstArgument: String? = nil,
        isFirstArgumentPath: Bool = false, _ body: @escaping () -> Void
    ) -> BusRegistration {
        let connection = connection
        let id = g_dbus_connection_signal_subscribe(
            pointer, sender, interface, member, path, firstArgument,
            isFirstArgumentPath ? G_DBUS_SIGNAL_FLAGS_MATCH_ARG0_PATH : G_DBUS_SIGNAL_FLAGS_NONE,
            { _, _, _, _, _, _, data in
                if let data { Unmanaged<Callback>.fromOpaque(data).takeUnretainedValue().body() }
            }, Unmanaged.passRetained(Callback(body)).toOpaque(), { Callback.release($0) })
        return BusRegistration {
            g_dbus_connection_signal_unsubscribe(OpaquePointer(connection.pointer), id)
        }
    }

    /// Calls `body` with the unique name of the owner of `name`, or `nil` if there is none: once at the start, then
    /// after each change.
    package func watchName(
        _ name: String, startsService: Bool, _ body: @escaping (_ owner: String?) -> Void
    ) -> BusRegistration {
        let id = g_bus_watch_name_on_connection(
            pointer, name, startsService ? G_BUS_NAME_WATCHER_FLAGS_AUTO_START : G_BUS_NAME_WATCHER_FLAGS_NONE,
            { _, _, owner, data in
                guard let data, let owner else { return }
                Unmanaged<OwnerCallback>.fromOpaque(data).takeUnretainedValue().body(String(cString: owner))
            },
            { _, _, data in
                guard let data else { return }
                Unmanaged<OwnerCallback>.fromOpaque(data).takeUnretainedValue().body(nil)
            }, Unmanaged.passRetained(OwnerCallback(body)).toOpaque(), { OwnerCallback.release($0) })
        return BusRegistration { g_bus_unwatch_name(id) }
    }
}

/// A subscription on a bus. Releasing this handle ends the subscription.
package final class BusRegistration {
    private let end: () -> Void

    init(_ end: @escaping () -> Void) { self.end = end }

    deinit { end() }
}

private struct Reply {
    let pointer: OpaquePointer
}

final class Completion<Value> {
    let body: (Result<Value, GLibError>) -> Void

    init(_ body: @escaping (Result<Value, GLibError>) -> Void) { self.body = body }
}

private final class Callback {
    let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    static func release(_ data: UnsafeMutableRawPointer?) {
        if let data { Unmanaged<Callback>.fromOpaque(data).release() }
    }
}

private final class OwnerCallback {
    let body: (String?) -> Void

    init(_ body: @escaping (String?) -> Void) { self.body = body }

    static func release(_ data: UnsafeMutableRawPointer?) {
        if let data { Unmanaged<OwnerCallback>.fromOpaque(data).release() }
    }
}

extension BusConnection {
    /// Calls `body` with the first argument of each matching signal, until the returned handle is released. Signals
    /// whose first argument is not a Boolean value are ignored.
    package func subscribe(
        toFlag member: String, of interface: String, at path: String, sender: String,
        _ body: @escaping (Bool) -> Void
    ) -> BusRegistration {
        subscribe(to: member, of: interface, at: path, sender: sender) { values in
            if case .bool(let flag)? = values.first { body(flag) }
        }
    }
}

extension BusConnection {
    /// Returns the address of the session bus from the environment; `nil` if there is none.
    ///
    /// GIO is not asked, because GIO would start a bus if there is none.
    package static func sessionBusAddress(in environment: (String) -> String? = ownEnvironment) -> String? {
        if let address = environment("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty { return address }
        guard let folder = environment("XDG_RUNTIME_DIR"), folder.hasPrefix("/"),
            let escaped = g_dbus_address_escape_value(folder + "/bus")
        else { return nil }
        defer { g_free(escaped) }
        return "unix:path=" + String(cString: escaped)
    }

    /// Returns a variable of this process's environment.
    package static func ownEnvironment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
