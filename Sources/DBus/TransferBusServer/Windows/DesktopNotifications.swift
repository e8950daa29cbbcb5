// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A button of a notification.
package struct NotificationButton: Hashable, Sendable {
    /// The key by which the desktop reports the button. `default` stands for the notification itself.
    package var key: String
    /// The text of the button.
    package var label: String

    /// Creates a button.
    package init(key: String, label: String) { (self.key, self.label) = (key, label) }
}

/// The notifications of the desktop, according to the Desktop Notifications Specification 1.2.
///
/// Used only on the server's thread.
final class DesktopNotifications {
    private static let service = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    /// The number of notifications whose buttons work. Older ones are forgotten.
    private static let mostHandlers = 50

    private let connection: ServerConnection
    private var subscriptions: [BusRegistration] = []
    /// The handlers of the buttons of the shown notifications.
    private var handlers: [Int64: @Sendable (String) -> Void] = [:]

    /// Creates notifications over a connection.
    init(over connection: ServerConnection) { self.connection = connection }

    /// Shows a notification. Does nothing if no notification server is available.
    ///
    /// - Parameter onButton: A closure that receives the key of a pressed button, once.
    func show(
        title: String, body: String, isFailure: Bool, buttons: [NotificationButton],
        onButton: @escaping @Sendable (String) -> Void
    ) {
        guard let bus = connection.bus else { return }
        if !buttons.isEmpty { subscribe(to: bus) }
        // Some notification servers interpret markup in the body. A file name from a server must not be interpreted as
        // markup.
        let escaped = body.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        let hints: [String: VariantValue] = [
            "category": .string(isFailure ? "transfer.error" : "transfer.complete"),
            "desktop-entry": .string("transferd"),
        ]
        let actions = buttons.flatMap { [VariantValue.string($0.key), .string($0.label)] }
        try? bus.call(
            "Notify", of: Self.service, at: Self.path, service: Self.service,
            [
                .string("transferd"), .integer(0), .string(isFailure ? "dialog-error" : "folder-download"),
                .string(title), .string(escaped), .list(actions), .dictionary(hints), .integer(-1),
            ], type: "(susssasa{sv}i)", milliseconds: 10_000
        ) { [weak self] result in
            guard !buttons.isEmpty, case .success(let values) = result, case .integer(let id)? = values.first else {
                return
            }
            self?.remember(id, onButton)
        }
    }

    private func remember(_ id: Int64, _ handler: @escaping @Sendable (String) -> Void) {
        handlers[id] = handler
        for old in handlers.keys.sorted().dropLast(Self.mostHandlers) { handlers[old] = nil }
    }

    private func subscribe(to bus: BusConnection) {
        guard subscriptions.isEmpty else { return }
        subscriptions = ["ActionInvoked", "NotificationClosed"].map { signal in
            bus.subscribe(to: signal, of: Self.service, at: Self.path, sender: Self.service) { [weak self] values in
                guard case .integer(let id)? = values.first, let handler = self?.handlers.removeValue(forKey: id) else {
                    return
                }
                if signal == "ActionInvoked", let key = values.dropFirst().first?.string { handler(key) }
            }
        }
    }
}
