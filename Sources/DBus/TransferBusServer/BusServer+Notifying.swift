// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Desktop notifications, according to the Desktop Notifications Specification 1.2.
extension BusServer {
    /// Shows a notification. Does nothing if no notification server is available.
    package func notify(title: String, body: String, isFailure: Bool) {
        // Some notification servers interpret markup in the body. A file name from a server must not be interpreted as
        // markup.
        let escaped = body.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        let hints: [String: VariantValue] = [
            "category": .string(isFailure ? "transfer.error" : "transfer.complete"),
            "desktop-entry": .string("transferd"),
        ]
        try? connection.bus?.call(
            "Notify", of: "org.freedesktop.Notifications", at: "/org/freedesktop/Notifications",
            service: "org.freedesktop.Notifications",
            [
                .string("transferd"), .integer(0), .string(isFailure ? "dialog-error" : "folder-download"),
                .string(title), .string(escaped), .list([]), .dictionary(hints), .integer(-1),
            ], type: "(susssasa{sv}i)", milliseconds: 10_000
        ) { _ in }
    }
}
