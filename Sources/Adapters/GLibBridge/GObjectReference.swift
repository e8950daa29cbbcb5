// SPDX-License-Identifier: Apache-2.0
import CGIO

/// One counted reference to a GObject, given back when this goes away.
package final class GObjectReference {
    /// The object.
    package let pointer: UnsafeMutableRawPointer
    private var handlers: [gulong] = []

    /// Takes over one reference.
    package init(taking pointer: UnsafeMutableRawPointer) { self.pointer = pointer }

    deinit {
        for handler in handlers { g_signal_handler_disconnect(pointer, handler) }
        g_object_unref(pointer)
    }

    /// Calls `body` at each of the object's signals named `signal`, as long as this reference lives.
    package func connect(_ signal: String, _ body: @escaping () -> Void) {
        // Swapped: the data comes first, so one function serves signals with any number of arguments.
        let function: @convention(c) (UnsafeMutableRawPointer?) -> Void = { data in
            if let data { Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue().body() }
        }
        handlers.append(
            g_signal_connect_data(
                pointer, signal, unsafeBitCast(function, to: GCallback.self),
                Unmanaged.passRetained(Handler(body)).toOpaque(),
                { data, _ in if let data { Unmanaged<Handler>.fromOpaque(data).release() } }, G_CONNECT_SWAPPED))
    }
}

private final class Handler {
    let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }
}
