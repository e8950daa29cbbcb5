// SPDX-License-Identifier: Apache-2.0
import CGIO

extension BusConnection {
    /// Calls a method without arguments and without a time limit; the caller sets its own.
    ///
    /// The values of the reply are passed to `completion` as a list.
    package func ask(
        _ method: String, of interface: String, at path: String, service: String, cancellation: Cancellation,
        completion: @escaping (Result<[VariantValue], GLibError>) -> Void
    ) {
        g_dbus_connection_call(
            pointer, service, path, interface, method, nil, nil, G_DBUS_CALL_FLAGS_NO_AUTO_START, G_MAXINT,
            cancellation.cancellable,
            { source, result, data in
                guard let data else { return }
                let completion = Unmanaged<UntimedReplyHandler>.fromOpaque(data).takeRetainedValue()
                var error: UnsafeMutablePointer<GError>?
                let connection = source.map { OpaquePointer($0) }
                guard let tuple = g_dbus_connection_call_finish(connection, result, &error) else {
                    return completion.body(.failure(GLibError(taking: error)))
                }
                defer { g_variant_unref(tuple) }
                guard case .list(let values) = VariantValue(copying: tuple) else {
                    return completion.body(.success([]))
                }
                completion.body(.success(values))
            }, Unmanaged.passRetained(UntimedReplyHandler(body: completion)).toOpaque())
    }
}

private final class UntimedReplyHandler {
    let body: (Result<[VariantValue], GLibError>) -> Void

    init(body: @escaping (Result<[VariantValue], GLibError>) -> Void) { self.body = body }
}
