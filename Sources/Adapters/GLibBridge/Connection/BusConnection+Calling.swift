// SPDX-License-Identifier: Apache-2.0
import CGIO

extension BusConnection {
    /// Calls a method. By default, the bus starts the service if it is not running.
    ///
    /// - Parameters:
    ///   - type: The type of all `arguments` together, such as `(ax)`.
    ///   - milliseconds: The maximum time to wait for the reply.
    ///   - descriptors: The descriptors to which handles among the arguments refer. Copies are sent.
    ///   - startsService: Whether the bus may start the service.
    /// - Throws: `VariantMismatchError` if the arguments do not have the type, `GLibError` if a descriptor cannot be
    ///   copied. Nothing is sent in either case.
    package func call(
        _ method: String, of interface: String, at path: String, service: String, _ arguments: [VariantValue],
        type: String, milliseconds: Int32, descriptors: [Int32] = [], startsService: Bool = true,
        completion: @escaping (Result<[VariantValue], BusCallError>) -> Void
    ) throws {
        let list = try Self.list(of: descriptors)
        defer { if let list { g_object_unref(list) } }
        let parameters = try VariantValue.list(arguments).variant(ofType: type)
        g_dbus_connection_call_with_unix_fd_list(
            pointer, service, path, interface, method, parameters, nil,
            startsService ? G_DBUS_CALL_FLAGS_NONE : G_DBUS_CALL_FLAGS_NO_AUTO_START, milliseconds, list, nil,
            { source, result, data in
                guard let data else { return }
                let completion = Unmanaged<ReplyHandler>.fromOpaque(data).takeRetainedValue()
                var error: UnsafeMutablePointer<GError>?
                let connection = source.map { OpaquePointer($0) }
                guard
                    let tuple = g_dbus_connection_call_with_unix_fd_list_finish(connection, nil, result, &error)
                else {
                    return completion.body(.failure(BusCallError(taking: error)))
                }
                defer { g_variant_unref(tuple) }
                guard case .list(let values) = VariantValue(copying: tuple) else {
                    return completion.body(.success([]))
                }
                completion.body(.success(values))
            }, Unmanaged.passRetained(ReplyHandler(completion)).toOpaque())
    }

    private static func list(of descriptors: [Int32]) throws -> UnsafeMutablePointer<GUnixFDList>? {
        guard !descriptors.isEmpty, let list = g_unix_fd_list_new() else { return nil }
        for descriptor in descriptors {
            var error: UnsafeMutablePointer<GError>?
            guard g_unix_fd_list_append(list, descriptor, &error) >= 0 else {
                g_object_unref(list)
                throw GLibError(taking: error)
            }
        }
        return list
    }

    /// Calls `body` with the arguments of each matching signal, until the returned handle is released.
    package func subscribe(
        to member: String, of interface: String, at path: String?, sender: String,
        _ body: @escaping ([VariantValue]) -> Void
    ) -> BusRegistration {
        subscribe(toAll: member, of: interface, at: path, sender: sender) { _, values in body(values) }
    }

    /// Calls `body` with the sending object's path and the arguments of each matching signal, until the returned
    /// handle is released.
    package func subscribe(
        toAll member: String, of interface: String, at path: String? = nil, sender: String,
        _ body: @escaping (_ path: String, [VariantValue]) -> Void
    ) -> BusRegistration {
        let connection = connection
        let id = g_dbus_connection_signal_subscribe(
            pointer, sender, interface, member, path, nil, G_DBUS_SIGNAL_FLAGS_NONE,
            { _, _, path, _, _, parameters, data in
                guard let data, let path, let parameters, case .list(let values) = VariantValue(copying: parameters)
                else { return }
                Unmanaged<SignalHandler>.fromOpaque(data).takeUnretainedValue().body(String(cString: path), values)
            }, Unmanaged.passRetained(SignalHandler(body)).toOpaque(),
            { data in if let data { Unmanaged<SignalHandler>.fromOpaque(data).release() } })
        return BusRegistration { g_dbus_connection_signal_unsubscribe(OpaquePointer(connection.pointer), id) }
    }
}

/// The error of a call that failed.
package struct BusCallError: Error, Hashable, CustomStringConvertible {
    /// The name of the error on the bus, such as `org.freedesktop.DBus.Error.ServiceUnknown`; `nil` for a local error.
    package var name: String?
    /// The error message, for display to the user.
    package var message: String

    /// Creates an error.
    package init(name: String?, message: String) {
        self.name = name
        self.message = message
    }

    init(taking error: UnsafeMutablePointer<GError>?) {
        name = nil
        if let error, let remote = g_dbus_error_get_remote_error(error) {
            name = String(cString: remote)
            g_free(remote)
            g_dbus_error_strip_remote_error(error)
        }
        message = GLibError(taking: error).message
    }

    package var description: String { name.map { "\(message) (\($0))" } ?? message }
}

private final class ReplyHandler {
    let body: (Result<[VariantValue], BusCallError>) -> Void

    init(_ body: @escaping (Result<[VariantValue], BusCallError>) -> Void) { self.body = body }
}

private final class SignalHandler {
    let body: (String, [VariantValue]) -> Void

    init(_ body: @escaping (String, [VariantValue]) -> Void) { self.body = body }
}

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
