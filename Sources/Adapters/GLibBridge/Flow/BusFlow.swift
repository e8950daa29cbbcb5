// SPDX-License-Identifier: Apache-2.0
import CGIO
import Synchronization

/// Limits the resources that other connections can make this process and the bus use. Refuses calls beyond the limits
/// before they are decoded or queued, and reports receivers that do not read their messages.
///
/// GDBus passes every message to this object on GDBus's own thread.
package final class BusFlow: Sendable {
    /// The names of the errors with which calls are refused.
    package struct Refusals: Sendable {
        /// The name of the error for a call that is too large.
        package var tooLarge: String
        /// The name of the error for a call beyond the limits on unanswered calls or unread messages.
        package var tooMany: String

        /// Creates a set of error names.
        package init(tooLarge: String, tooMany: String) {
            self.tooLarge = tooLarge
            self.tooMany = tooMany
        }
    }

    private let flow = Mutex(MessageFlow())
    private let refusals: Refusals
    private let requestConfirmation: @Sendable (String) -> Void

    /// Creates accounts without any connection.
    ///
    /// - Parameter requestConfirmation: Asks a connection to show that it reads its messages, and calls ``confirm(_:)``
    ///   after it has. Called on GDBus's thread, or from ``confirm(_:)``; must not block.
    package init(refusals: Refusals, requestConfirmation: @escaping @Sendable (String) -> Void) {
        self.refusals = refusals
        self.requestConfirmation = requestConfirmation
    }

    /// Records that a connection has read everything sent before it was asked. Returns true if the connection was
    /// stalled until now.
    package func confirm(_ name: String) -> Bool {
        switch flow.withLock({ $0.confirm(name) }) {
        case .none: return false
        case .resumed: return true
        case .requestAgain:
            requestConfirmation(name)
            return false
        }
    }

    /// Returns whether a connection has so many unread messages that it must not be sent more.
    package func isStalled(_ name: String) -> Bool { flow.withLock { $0.isStalled(name) } }

    /// Removes the account of a connection that has closed.
    package func forget(_ name: String) { flow.withLock { $0.forget(name) } }

    func markReplied(_ serial: UInt32, of name: String) { flow.withLock { $0.markReplied(serial, of: name) } }

    // MARK: On GDBus's thread

    /// Checks an incoming message. Returns false if the message must be dropped.
    fileprivate func admits(_ message: OpaquePointer, on connection: OpaquePointer?) -> Bool {
        guard g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_METHOD_CALL,
            let sender = g_dbus_message_get_sender(message).map({ String(cString: $0) }), sender.hasPrefix(":")
        else { return true }
        let (serial, bytes) = (g_dbus_message_get_serial(message), Self.size(of: message))
        let limits = flow.withLock { $0.limits }
        switch flow.withLock({ $0.receive(serial, bytes: bytes, from: sender) }) {
        case .admitted: return true
        case .ignored: break
        case .unconfirmed(let replies):
            refuse(
                message, on: connection, refusals.tooMany,
                "this connection has received \(replies) replies without replying to org.freedesktop.DBus.Peer.Ping: reply to "
                    + "it, or reconnect")
        case .tooLarge(let bytes):
            refuse(
                message, on: connection, refusals.tooLarge,
                "the message has \(bytes) bytes; the maximum is \(limits.largestCall); send several smaller messages")
        case .tooMany(let calls):
            refuse(
                message, on: connection, refusals.tooMany,
                "this connection has \(calls) unanswered calls; the maximum is \(limits.calls); wait for some replies"
            )
        case .tooMuch(let bytes):
            refuse(
                message, on: connection, refusals.tooMany,
                "this connection has unanswered calls with \(bytes) bytes; the maximum is \(limits.callBytes); wait for "
                    + "some replies")
        }
        return false
    }

    /// Counts an outgoing message.
    fileprivate func countSent(_ message: OpaquePointer) {
        guard let receiver = g_dbus_message_get_destination(message).map({ String(cString: $0) }),
            receiver.hasPrefix(":")
        else { return }
        let bytes = Self.size(of: message)
        let isDue: Bool
        switch g_dbus_message_get_message_type(message) {
        case G_DBUS_MESSAGE_TYPE_METHOD_RETURN, G_DBUS_MESSAGE_TYPE_ERROR:
            // Includes replies that GDBus sends by itself.
            let serial = g_dbus_message_get_reply_serial(message)
            isDue = flow.withLock { $0.reply(to: serial, bytes: bytes, of: receiver) }
        case G_DBUS_MESSAGE_TYPE_SIGNAL: isDue = flow.withLock { $0.send(bytes: bytes, to: receiver) }
        default: return
        }
        if isDue { requestConfirmation(receiver) }
    }

    private func refuse(_ message: OpaquePointer, on connection: OpaquePointer?, _ name: String, _ text: String) {
        let flags = g_dbus_message_get_flags(message).rawValue
        guard flags & G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED.rawValue == 0,
            let reply = g_dbus_message_new_method_error_literal(message, name, text)
        else { return }
        g_dbus_connection_send_message(connection, reply, G_DBUS_SEND_MESSAGE_FLAGS_NONE, nil, nil)
        g_object_unref(UnsafeMutableRawPointer(reply))
    }

    private static func size(of message: OpaquePointer) -> Int {
        g_dbus_message_get_body(message).map { Int(g_variant_get_size($0)) } ?? 0
    }
}

extension BusConnection {
    /// Passes all messages of this connection to `flow` until the returned handle is released.
    package func limit(by flow: BusFlow) -> BusRegistration {
        let connection = connection
        let id = g_dbus_connection_add_filter(
            pointer,
            { connection, message, isIncoming, data in
                guard let message, let data else { return message }
                let flow = Unmanaged<BusFlow>.fromOpaque(data).takeUnretainedValue()
                guard isIncoming != 0 else {
                    flow.countSent(message)
                    return message
                }
                if flow.admits(message, on: connection) { return message }
                g_object_unref(UnsafeMutableRawPointer(message))
                return nil
            }, Unmanaged.passRetained(flow).toOpaque(),
            { data in if let data { Unmanaged<BusFlow>.fromOpaque(data).release() } })
        return BusRegistration { g_dbus_connection_remove_filter(OpaquePointer(connection.pointer), id) }
    }
}
