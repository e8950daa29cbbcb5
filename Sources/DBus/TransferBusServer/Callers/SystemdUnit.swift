// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The systemd unit of a process, derived from its control group.
struct SystemdUnit: Hashable {
    /// The unit's name, such as `app-gnome-org.gnome.Evolution-12345.scope`.
    let name: String
    /// Whether the unit belongs to the apps and services of a user's manager, as opposed to logins and terminals.
    private let isUsers: Bool

    /// Finds the innermost scope or service of a control group. Returns `nil` if the control group contains neither.
    ///
    /// - Parameter cgroup: The text of `/proc/PID/cgroup`.
    init?(cgroup: String) {
        guard let path = cgroup.split(separator: "\n").first(where: { $0.hasPrefix("0::") })?.dropFirst(3),
            let unit = path.split(separator: "/").last(where: { $0.hasSuffix(".scope") || $0.hasSuffix(".service") })
        else { return nil }
        name = String(unit)
        isUsers = path.contains("/app.slice/") || path.contains("/app-") || path.contains("user@")
    }

    var isService: Bool { name.hasSuffix(".service") }

    /// The app id, according to systemd's rules for desktop environments (https://systemd.io/DESKTOP_ENVIRONMENTS):
    /// `app[-<launcher>]-<ApplicationID>[-<RANDOM>].scope`, `app[-<launcher>]-<ApplicationID>[@<RANDOM>].service`.
    ///
    /// Nil for the scope of a terminal or a login, and for the daemon's own unit.
    var app: String? {
        guard isUsers, name != "transferd.service" else { return nil }
        var stem = isService ? name.dropLast(8) : name.dropLast(6)
        if isService, let at = stem.firstIndex(of: "@") { stem = stem[..<at] }
        guard stem.hasPrefix("app-") else {
            // A service without the prefix is the user's own. Other scopes belong to logins and terminals.
            return isService && !stem.hasPrefix("user") ? Self.unescaped(stem) : nil
        }
        var components = stem.dropFirst(4).split(separator: "-")
        if !isService, components.count > 1 { components.removeLast() }
        // The launcher precedes the id. Hyphens inside the id are escaped.
        return components.last.map(Self.unescaped)
    }

    /// The Flatpak app of a scope that Flatpak created, `app-flatpak-<ApplicationID>-<NUMBER>.scope`; `nil` for other
    /// units.
    var flatpak: String? { name.hasPrefix("app-flatpak-") ? app : nil }

    /// Decodes systemd's escapes, such as `\x2d`, for characters that a unit's name may not contain
    /// (systemd-escape(1)).
    static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let first = rest.first {
            let digits = rest.dropFirst(2).prefix(2)
            if first == UInt8(ascii: "\\"), rest.dropFirst().first == UInt8(ascii: "x"), digits.count == 2,
                let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(byte)
                rest = rest.dropFirst(4)
            } else {
                bytes.append(first)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
