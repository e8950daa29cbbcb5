// SPDX-License-Identifier: Apache-2.0
import CGIO
import Synchronization

/// A call that came in over a bus. It is answered exactly once, from any thread; one that is dropped is answered with an
/// error.
package final class BusCall: @unchecked Sendable {
    // Guard for @unchecked: the invocation is taken out under the lock, and GDBus lets any thread answer.
    private struct Invocation: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    /// The caller's unique name on the bus.
    package let sender: String
    /// The object's path.
    package let path: String
    /// The interface; `org.freedesktop.DBus.Properties` for properties.
    package let interface: String
    /// The method.
    package let method: String
    /// What came with it: its types have been checked against the interface.
    package let arguments: [VariantValue]
    /// The descriptors that came with it; open until it is answered.
    package let descriptors: [Int32]
    /// How many bytes the message's body has.
    package let size: Int
    private let invocation: Mutex<Invocation?>
    private let serial: UInt32
    private let wantsNoAnswer: Bool
    private let flow: BusFlow?

    /// Takes over one reference to `invocation`.
    ///
    /// - Parameter flow: told once the call is answered.
    init(taking invocation: OpaquePointer, parameters: OpaquePointer?, flow: BusFlow?) {
        let message = g_dbus_method_invocation_get_message(invocation)
        serial = message.map { g_dbus_message_get_serial($0) } ?? 0
        let flags = message.map { g_dbus_message_get_flags($0).rawValue } ?? 0
        wantsNoAnswer = flags & G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED.rawValue != 0
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

    deinit { fail("org.freedesktop.DBus.Error.Failed", "the call was dropped without an answer") }

    /// Answers with values of the types that the interface declares for the method.
    package func reply(_ values: [VariantValue]) {
        guard let invocation = take() else { return }
        do {
            let answer = try VariantValue.list(values).variant(ofType: Self.replyType(of: invocation, method: method))
            g_dbus_method_invocation_return_value(invocation, answer)
        } catch {
            // Our own fault: the caller is to know rather than to wait.
            g_dbus_method_invocation_return_dbus_error(
                invocation, "org.freedesktop.DBus.Error.Failed", "the answer cannot be sent: \(error)")
        }
    }

    /// Answers with a descriptor, of which a copy is sent; the method's answer is `h`.
    package func reply(descriptor: Int32) {
        guard let invocation = take() else { return }
        guard let list = g_unix_fd_list_new(), g_unix_fd_list_append(list, descriptor, nil) >= 0 else {
            g_dbus_method_invocation_return_dbus_error(
                invocation, "org.freedesktop.DBus.Error.Failed", "the descriptor cannot be sent")
            return
        }
        var values: [OpaquePointer?] = [g_variant_new_handle(0)]
        g_dbus_method_invocation_return_value_with_unix_fd_list(invocation, g_variant_new_tuple(&values, 1), list)
        g_object_unref(list)
    }

    /// Answers with a named error. The message may repeat input: it is cut after 2000 characters, and control and format
    /// characters, by which a terminal could be fooled, are replaced.
    package func fail(_ name: String, _ message: String) {
        guard let invocation = take() else { return }
        g_dbus_method_invocation_return_dbus_error(invocation, name, Self.printable(message))
    }

    /// The message as `fail` sends it.
    package static func printable(_ message: String) -> String {
        let mostScalars = 2000
        var printable = String.UnicodeScalarView()
        for scalar in message.unicodeScalars.prefix(mostScalars) {
            switch scalar.properties.generalCategory {
            case .control where scalar != "\n", .format, .lineSeparator, .paragraphSeparator:
                printable.append("\u{FFFD}")
            default: printable.append(scalar)
            }
        }
        if message.unicodeScalars.count > mostScalars { printable.append("\u{2026}") }
        return String(printable)
    }

    private func take() -> OpaquePointer? {
        let taken = invocation.withLock { invocation in
            defer { invocation = nil }
            return invocation?.pointer
        }
        // Answers are counted as they go out; a call that wants none has none.
        if taken != nil, wantsNoAnswer { flow?.answered(serial, of: sender) }
        return taken
    }

    private static func replyType(of invocation: OpaquePointer, method: String) -> String {
        guard let info = g_dbus_method_invocation_get_method_info(invocation) else {
            // Of the interface of properties, which GDBus describes nowhere.
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
