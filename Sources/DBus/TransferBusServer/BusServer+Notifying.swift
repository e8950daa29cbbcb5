// SPDX-License-Identifier: Apache-2.0

/// Desktop notifications.
extension BusServer {
    /// Shows a notification. Does nothing if no notification server is available.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - body: The text. Markup in the text is not interpreted.
    ///   - isFailure: Whether the notification reports a failure.
    ///   - buttons: The buttons.
    ///   - onButton: A closure that receives the key of a pressed button, once.
    package func notify(
        title: String, body: String, isFailure: Bool, buttons: [NotificationButton] = [],
        onButton: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        notifications.show(title: title, body: body, isFailure: isFailure, buttons: buttons, onButton: onButton)
    }
}
