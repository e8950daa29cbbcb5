// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A systemd unit in which a process runs, by its control group.
struct SystemdUnit: Hashable {
    /// The unit's name, such as `app-gnome-org.gnome.Evolution-12345.scope`.
    let name: String
    /// Whether the unit lies where the user's manager keeps apps and services, not logins and terminals.
    private let isUsers: Bool

    /// The innermost scope or service of a control group; nil where it has none.
    ///
    /// - Parameter cgroup: the text of `/proc/PID/cgroup`.
    init?(cgroup: String) {
        guard let path = cgroup.split(separator: "\n").first(where: { $0.hasPrefix("0::") })?.dropFirst(3),
            let unit = path.split(separator: "/").last(where: { $0.hasSuffix(".scope") || $0.hasSuffix(".service") })
        else { return nil }
        name = String(unit)
        isUsers = path.contains("/app.slice/") || path.contains("/app-") || path.contains("user@")
    }

    /// Whether the unit is a service.
    var isService: Bool { name.hasSuffix(".service") }

    /// The app, by systemd's rules for desktop environments (https://systemd.io/DESKTOP_ENVIRONMENTS):
    /// `app[-<launcher>]-<ApplicationID>[-<RANDOM>].scope`, `app[-<launcher>]-<ApplicationID>[@<RANDOM>].service`.
    ///
    /// Nil for a terminal's or a login's scope, and for the unit of the daemon itself.
    var app: String? {
        guard isUsers, name != "transferd.service" else { return nil }
        var stem = isService ? name.dropLast(8) : name.dropLast(6)
        if isService, let at = stem.firstIndex(of: "@") { stem = stem[..<at] }
        guard stem.hasPrefix("app-") else {
            // A service of the user's own; other scopes are those of logins and terminals.
            return isService && !stem.hasPrefix("user") ? Self.unescaped(stem) : nil
        }
        var parts = stem.dropFirst(4).split(separator: "-")
        if !isService, parts.count > 1 { parts.removeLast() }
        // The launcher stands before an id that has dots; an id itself has its hyphens escaped.
        return parts.last.map(Self.unescaped)
    }

    /// The Flatpak app of a scope that Flatpak made, `app-flatpak-<ApplicationID>-<NUMBER>.scope`; nil for others.
    var flatpak: String? { name.hasPrefix("app-flatpak-") ? app : nil }

    /// The name without systemd's `\x2d` for what may not stand in a unit's name (systemd-escape(1)).
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
