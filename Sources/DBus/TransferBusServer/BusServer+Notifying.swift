// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Telling the desktop something, by its Desktop Notifications Specification 1.2.
extension BusServer {
    /// Shows a note; where nobody shows notes, nothing happens.
    package func notify(title: String, body: String, isFailure: Bool) {
        // In the body some servers read mark-up: what a server's file is called must not be any.
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
