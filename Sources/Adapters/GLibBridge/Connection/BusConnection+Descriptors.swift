// SPDX-License-Identifier: Apache-2.0
import CGIO

extension BusConnection {
    /// Calls a method that takes strings and returns a file descriptor. There is no time limit; the caller sets its
    /// own.
    ///
    /// The receiver must close the descriptor. The bus does not start the service.
    package func descriptor(
        from method: String, of interface: String, at path: String, service: String, arguments: [String],
        cancellation: Cancellation, completion: @escaping (Result<Int32, GLibError>) -> Void
    ) {
        var values: [OpaquePointer?] = arguments.map { g_variant_new_string($0) }
        let tuple = g_variant_new_tuple(&values, gsize(values.count))
        g_dbus_connection_call_with_unix_fd_list(
            pointer, service, path, interface, method, tuple, cgio_variant_type_handle_reply(),
            G_DBUS_CALL_FLAGS_NO_AUTO_START, G_MAXINT, nil, cancellation.cancellable,
            { source, result, data in
                guard let data else { return }
                let completion = Unmanaged<Completion<Int32>>.fromOpaque(data).takeRetainedValue()
                completion.body(BusConnection.descriptor(from: source, result))
            }, Unmanaged.passRetained(Completion(completion)).toOpaque())
    }

    /// Calls a method that takes one number and returns a file descriptor, which the receiver must close. Waits for at
    /// most 30 s. The bus does not start the service.
    package func file(
        from method: String, of interface: String, at path: String, service: String, number: Int64,
        completion: @escaping (Result<Int32, GLibError>) -> Void
    ) {
        var values: [OpaquePointer?] = [g_variant_new_int64(Int(number))]
        g_dbus_connection_call_with_unix_fd_list(
            pointer, service, path, interface, method, g_variant_new_tuple(&values, 1),
            cgio_variant_type_handle_reply(),
            G_DBUS_CALL_FLAGS_NO_AUTO_START, 30_000, nil, nil,
            { source, result, data in
                guard let data else { return }
                let completion = Unmanaged<Completion<Int32>>.fromOpaque(data).takeRetainedValue()
                completion.body(BusConnection.descriptor(from: source, result))
            }, Unmanaged.passRetained(Completion(completion)).toOpaque())
    }

    private static func descriptor(
        from source: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?
    ) -> Result<Int32, GLibError> {
        var error: UnsafeMutablePointer<GError>?
        var list: UnsafeMutablePointer<GUnixFDList>?
        let connection = source.map { OpaquePointer($0) }
        guard let tuple = g_dbus_connection_call_with_unix_fd_list_finish(connection, &list, result, &error) else {
            return .failure(GLibError(taking: error))
        }
        defer { g_variant_unref(tuple) }
        guard let list else { return .failure(GLibError(taking: nil)) }
        defer { g_object_unref(list) }
        // GDBus has checked the type of the reply, which contains one handle.
        guard let handle = g_variant_get_child_value(tuple, 0) else { return .failure(GLibError(taking: nil)) }
        defer { g_variant_unref(handle) }
        let descriptor = g_unix_fd_list_get(list, g_variant_get_handle(handle), &error)
        return descriptor >= 0 ? .success(descriptor) : .failure(GLibError(taking: error))
    }
}
