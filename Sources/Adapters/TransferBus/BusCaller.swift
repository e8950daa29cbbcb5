// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Who called: a program of the person's, as the bus and the kernel know it.
///
/// Among the programs of one user this guards against mistakes, not against malice: they can read each other's memory.
package struct BusCaller: Hashable, Sendable {
    /// Its unique name on the bus.
    package var name: String
    /// The app that it is: its Flatpak id, else the name that it owns on the bus, else its systemd unit's app, else its
    /// executable's path. Fixed at its first call.
    package var app: String
    /// Whether it acts as the person and reaches all transfers.
    package var isPerson: Bool
    /// Its process; 0 where that is not known.
    package var process: Int32

    /// A caller.
    package init(name: String, app: String, isPerson: Bool, process: Int32 = 0) {
        self.name = name
        self.app = app
        self.isPerson = isPerson
        self.process = process
    }

    /// The programs with which a person steers the daemon; what they hand over belongs to `person`.
    private static let steering: Set = ["transferctl", "busctl", "gdbus", "dbus-send"]
    /// The app that a person's own transfers belong to.
    package static let person = "person"

    /// Tells who it is from what the kernel says of the process.
    ///
    /// - Parameters:
    ///   - cgroup: the text of `/proc/PID/cgroup`.
    ///   - executable: what `/proc/PID/exe` leads to.
    ///   - flatpakInfo: the text of `/.flatpak-info` as the process sees it; nil where there is none.
    ///   - ownedNames: the well-known names that it owns on the bus.
    static func identify(
        name: String, cgroup: String, executable: String, flatpakInfo: String?, ownedNames: Set<String> = []
    ) -> BusCaller {
        if let id = flatpakInfo.flatMap(flatpakID) { return BusCaller(name: name, app: id, isPerson: false) }
        let program = executable.split(separator: "/").last.map(String.init) ?? ""
        if steering.contains(program) { return BusCaller(name: name, app: person, isPerson: true) }
        if let id = appName(among: ownedNames) { return BusCaller(name: name, app: id, isPerson: false) }
        if let unit = unitApp(cgroup) { return BusCaller(name: name, app: unit, isPerson: false) }
        return BusCaller(name: name, app: executable, isPerson: false)
    }

    /// The name that is the app's own: no interface that many programs offer, and of several the shortest, since an app's
    /// other names are made from its id.
    private static func appName(among names: Set<String>) -> String? {
        let shared = [
            "org.transferd", "org.freedesktop.", "org.mpris.", "org.kde.StatusNotifier", "org.a11y.", "org.gtk.vfs.",
        ]
        return names.filter { name in
            name.contains(".") && !name.hasPrefix(":") && !shared.contains { name.hasPrefix($0) }
        }.min { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }

    /// The `name` of the section `Application` (flatpak-metadata(5)).
    private static func flatpakID(_ text: String) -> String? {
        var section = Substring()
        for line in text.split(separator: "\n") {
            if line.hasPrefix("[") { section = line }
            guard section == "[Application]", line.hasPrefix("name=") else { continue }
            let id = line.dropFirst(5).trimmingCharacters(in: .whitespaces)
            return id.isEmpty ? nil : id
        }
        return nil
    }

    /// The app of the unit at the end of the process's control group, by systemd's rules for desktop environments
    /// (https://systemd.io/DESKTOP_ENVIRONMENTS): `app[-<launcher>]-<ApplicationID>[-<RANDOM>].scope`,
    /// `app[-<launcher>]-<ApplicationID>[@<RANDOM>].service`. A terminal's scope is no app's.
    private static func unitApp(_ cgroup: String) -> String? {
        guard let path = cgroup.split(separator: "\n").first(where: { $0.hasPrefix("0::") })?.dropFirst(3),
            path.contains("/app.slice/") || path.contains("/app-") || path.contains("user@"),
            let unit = path.split(separator: "/").last(where: { $0.hasSuffix(".scope") || $0.hasSuffix(".service") })
        else { return nil }
        // What the daemon itself runs in is no app's.
        guard unit != "transferd.service" else { return nil }
        var name = unit.hasSuffix(".scope") ? unit.dropLast(6) : unit.dropLast(8)
        if unit.hasSuffix(".service"), let at = name.firstIndex(of: "@") { name = name[..<at] }
        guard name.hasPrefix("app-") else {
            // A service of the user's own; other scopes are those of logins and terminals.
            return unit.hasSuffix(".service") && !name.hasPrefix("user") ? unescaped(name) : nil
        }
        var parts = name.dropFirst(4).split(separator: "-").map(String.init)
        if unit.hasSuffix(".scope"), parts.count > 1 { parts.removeLast() }
        // The launcher stands before an id that has dots; an id itself has its hyphens escaped.
        return parts.last.map { unescaped($0[...]) }
    }

    /// systemd's `\x2d` for what may not stand in a unit's name (systemd-escape(1)).
    private static func unescaped(_ text: Substring) -> String {
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

    /// Looks a process up.
    ///
    /// - Parameter launched: the programs that were started for their apps' sessions: they are those apps, however their
    ///   apps were known before.
    /// - Returns: nil where the process has gone or may not be looked at.
    static func identify(
        name: String, process: Int32, ownedNames: Set<String>, launched: LaunchedPrograms
    ) -> BusCaller? {
        if let app = launched.app(of: process) {
            return BusCaller(name: name, app: app, isPerson: false, process: process)
        }
        let folder = "/proc/\(process)"
        guard let executable = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/exe") else {
            return nil
        }
        let text = { (path: String) in
            FileManager.default.contents(atPath: folder + path).map { String(decoding: $0, as: UTF8.self) }
        }
        var caller = identify(
            name: name, cgroup: text("/cgroup") ?? "", executable: executable,
            flatpakInfo: text("/root" + "/.flatpak-info"), ownedNames: ownedNames)
        caller.process = process
        return caller
    }
}
