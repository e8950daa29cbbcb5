// SPDX-License-Identifier: Apache-2.0
import CGIO
import Synchronization
import TransferModel

/// An incoming call from a bus. Each call gets exactly one reply, from any thread. A call that is released without a
/// reply gets an error.
package final class BusCall: @unchecked Sendable {
    // Guard for `@unchecked`: the invocation is removed under the lock, and GDBus allows replies from any thread.
    private struct Invocation: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    /// The caller's unique name on the bus.
    package let sender: String
    /// The path of the object.
    package let path: String
    /// The name of the interface; `org.freedesktop.DBus.Properties` for calls to properties.
    package let interface: String
    /// The name of the method.
    package let method: String
    /// The arguments. Their types have been checked against the interface.
    package let arguments: [VariantValue]
    /// The file descriptors of the call. Valid until the call is answered.
    package let descriptors: [Int32]
    /// The size of the message's body, in bytes.
    package let size: Int
    private let invocation: Mutex<Invocation?>
    private let serial: UInt32
    private let expectsNoReply: Bool
    private let flow: BusFlow?

    /// Creates a call and takes ownership of one reference to `invocation`.
    ///
    /// - Parameter flow: The accounts to notify after a call that expects no reply is done. All other replies are
    ///   counted as they are sent.
    init(taking invocation: OpaquePointer, parameters: OpaquePointer?, flow: BusFlow?) {
        let message = g_dbus_method_invocation_get_message(invocation)
        serial = message.map { g_dbus_message_get_serial($0) } ?? 0
        let flags = message.map { g_dbus_message_get_flags($0).rawValue } ?? 0
        expectsNoReply = flags & G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED.rawValue != 0
        self.flow = flow
        sender = g_dbus_method_invocation_get_sender(invocation).map { String(cString: $0) } ?? ""
        path = g_dbus_method_invocation_get_object_path(invocation).map { String(cString: $0) } ?? ""
        interface = g_dbus_method_invocation_get_interface_name(invocation).map { String(cString: $0) } ?? ""
        method = g_dbus_method_invocation_get_method_name(invocation).map { String(cString: $0) } ?? ""
        size = parameters.map { Int(g_variant_get_size($0)) } ?? 0
        descriptors = Self.descriptors(of: invocation)
        if let parameters, case .list(let values) = VariantValue(copying: parameters) {
            arguments = values
        } else {
            arguments = []
        }
        self.invocation = Mutex(Invocation(pointer: invocation))
    }

    private static func descriptors(of invocation: OpaquePointer) -> [Int32] {
        guard let message = g_dbus_method_invocation_get_message(invocation),
            let list = g_dbus_message_get_unix_fd_list(message)
        else { return [] }
        var count: gint = 0
        guard let all = g_unix_fd_list_peek_fds(list, &count) else { return [] }
        return Array(UnsafeBufferPointer(start: all, count: Int(count)))
    }

    deinit { fail("org.freedesktop.DBus.Error.Failed", "the call was dropped without a reply") }

    /// Replies with values of the types that the interface declares for the method.
    package func reply(_ values: [VariantValue]) {
        guard let invocation = claimInvocation() else { return }
        do {
            let tuple = try VariantValue.list(values).variant(ofType: Self.replyType(of: invocation, method: method))
            g_dbus_method_invocation_return_value(invocation, tuple)
        } catch {
            // An error of this program. The caller gets an error instead of waiting forever.
            g_dbus_method_invocation_return_dbus_error(
                invocation, "org.freedesktop.DBus.Error.Failed", "cannot send the reply: \(error)")
        }
    }

    /// Replies with a copy of a file descriptor. The method's reply type is `h`.
    package func reply(descriptor: Int32) {
        guard let invocation = claimInvocation() else { return }
        guard let list = g_unix_fd_list_new(), g_unix_fd_list_append(list, descriptor, nil) >= 0 else {
            g_dbus_method_invocation_return_dbus_error(
                invocation, "org.freedesktop.DBus.Error.Failed", "cannot send the descriptor")
            return
        }
        var values: [OpaquePointer?] = [g_variant_new_handle(0)]
        g_dbus_method_invocation_return_value_with_unix_fd_list(invocation, g_variant_new_tuple(&values, 1), list)
        g_object_unref(list)
    }

    /// Replies with a named error. The message may repeat input, so it is cut after 2000 characters. Characters
    /// that could trick a terminal are replaced.
    package func fail(_ name: String, _ message: String) {
        guard let invocation = claimInvocation() else { return }
        g_dbus_method_invocation_return_dbus_error(invocation, name, Self.printable(message))
    }

    /// Returns the message in the form that `fail` sends.
    package static func printable(_ message: String) -> String {
        let mostScalars = 2000
        var printable = String.UnicodeScalarView()
        for scalar in message.unicodeScalars.prefix(mostScalars) {
            printable.append(scalar.isUnsafe && scalar != "\n" ? "\u{FFFD}" : scalar)
        }
        if message.unicodeScalars.count > mostScalars { printable.append("\u{2026}") }
        return String(printable)
    }

    private func claimInvocation() -> OpaquePointer? {
        let claimed = invocation.withLock { invocation in
            defer { invocation = nil }
            return invocation?.pointer
        }
        // The filter counts replies as they are sent. A call that expects no reply has none to count.
        if claimed != nil, expectsNoReply { flow?.markReplied(serial, of: sender) }
        return claimed
    }

    private static func replyType(of invocation: OpaquePointer, method: String) -> String {
        guard let info = g_dbus_method_invocation_get_method_info(invocation) else {
            // A call to properties: GDBus does not describe the interface of properties.
            return ["Get": "(v)", "GetAll": "(a{sv})"][method] ?? "()"
        }
        var type = ""
        var argument = info.pointee.out_args
        while let next = argument?.pointee {
            type += String(cString: next.pointee.signature)
            argument = argument?.advanced(by: 1)
        }
        return "(\(type))"
    }
}
