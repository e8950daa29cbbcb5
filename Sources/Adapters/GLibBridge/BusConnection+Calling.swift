// SPDX-License-Identifier: Apache-2.0
import CGIO

extension BusConnection {
    /// Calls a method, starting its service where the bus can.
    ///
    /// - Parameters:
    ///   - type: the type of `arguments` taken together, such as `(ax)`.
    ///   - milliseconds: how long the answer may take.
    /// - Throws: `VariantMismatchError` where the arguments are not of that type; nothing was sent then.
    package func call(
        _ method: String, of interface: String, at path: String, service: String, _ arguments: [VariantValue],
        type: String, milliseconds: Int32, completion: @escaping (Result<[VariantValue], BusCallError>) -> Void
    ) throws {
        let parameters = try VariantValue.list(arguments).variant(ofType: type)
        g_dbus_connection_call(
            pointer, service, path, interface, method, parameters, nil, G_DBUS_CALL_FLAGS_NONE, milliseconds, nil,
            { source, result, data in
                guard let data else { return }
                let completion = Unmanaged<Answer>.fromOpaque(data).takeRetainedValue()
                var error: UnsafeMutablePointer<GError>?
                guard let tuple = g_dbus_connection_call_finish(source.map { OpaquePointer($0) }, result, &error) else {
                    return completion.body(.failure(BusCallError(taking: error)))
                }
                defer { g_variant_unref(tuple) }
                guard case .list(let values) = VariantValue(copying: tuple) else {
                    return completion.body(.success([]))
                }
                completion.body(.success(values))
            }, Unmanaged.passRetained(Answer(completion)).toOpaque())
    }

    /// Calls `body` with what comes with each signal that matches, until the handle goes away.
    package func subscribe(
        to member: String, of interface: String, at path: String?, sender: String,
        _ body: @escaping ([VariantValue]) -> Void
    ) -> BusRegistration {
        let connection = connection
        let id = g_dbus_connection_signal_subscribe(
            pointer, sender, interface, member, path, nil, G_DBUS_SIGNAL_FLAGS_NONE,
            { _, _, _, _, _, parameters, data in
                guard let data, let parameters, case .list(let values) = VariantValue(copying: parameters) else {
                    return
                }
                Unmanaged<SignalHandler>.fromOpaque(data).takeUnretainedValue().body(values)
            }, Unmanaged.passRetained(SignalHandler(body)).toOpaque(),
            { data in if let data { Unmanaged<SignalHandler>.fromOpaque(data).release() } })
        return BusRegistration { g_dbus_connection_signal_unsubscribe(OpaquePointer(connection.pointer), id) }
    }
}

/// Why a call was not answered.
package struct BusCallError: Error, Hashable, CustomStringConvertible {
    /// The error's name on the bus, such as `org.freedesktop.DBus.Error.ServiceUnknown`; nil where it happened here.
    package var name: String?
    /// What happened, for people.
    package var message: String

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

private final class Answer {
    let body: (Result<[VariantValue], BusCallError>) -> Void

    init(_ body: @escaping (Result<[VariantValue], BusCallError>) -> Void) { self.body = body }
}

private final class SignalHandler {
    let body: ([VariantValue]) -> Void

    init(_ body: @escaping ([VariantValue]) -> Void) { self.body = body }
}
