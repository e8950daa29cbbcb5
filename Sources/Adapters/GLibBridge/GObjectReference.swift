// SPDX-License-Identifier: Apache-2.0
import CGIO

/// A counted reference to a GObject, released together with this object.
package final class GObjectReference {
    /// The referenced object.
    package let pointer: UnsafeMutableRawPointer
    private var handlers: [gulong] = []

    /// Creates a reference and takes ownership of one existing count.
    package init(taking pointer: UnsafeMutableRawPointer) { self.pointer = pointer }

    deinit {
        for handler in handlers { g_signal_handler_disconnect(pointer, handler) }
        g_object_unref(pointer)
    }

    /// Calls `body` for each signal `signal` of the object, as long as this reference exists.
    package func connect(_ signal: String, _ body: @escaping () -> Void) {
        // Swapped: the data is the first argument, so one function serves signals with any number of arguments.
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
