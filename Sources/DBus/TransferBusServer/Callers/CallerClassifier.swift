// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel

/// The rule that determines a caller's kind and app from facts about its process alone (rules C1 and C4).
struct CallerClassifier {
    /// The folder of the running daemon, which also holds the user's `transferctl`. `nil` if others may write to the
    /// folder, or to one above it, because other users could then add a program named `transferctl`.
    var daemonFolder: String?
    /// The systemd units whose sandboxes the user has admitted (`transferctl apps trust`).
    var trusted: Set<String> = []

    /// Returns a classifier with the folder of this process.
    static func current(trusted: Set<String>) -> CallerClassifier {
        CallerClassifier(daemonFolder: ownFolder, trusted: trusted)
    }

    private static let ownFolder: String? = {
        var facts = ProcessFacts()
        facts.executable = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = Self.folder(of: facts.executablePath)
        do throws(PathFault) { try PathTrust.check(folder, lasts: false) } catch { return nil }
        return folder
    }()

    /// Classifies the process behind a connection.
    ///
    /// - Parameters:
    ///   - ownedNames: The well-known names that the caller owns on the bus.
    ///   - launched: The app for whose session the daemon started the process; `nil` for other processes.
    func caller(
        _ name: String, process: Int32, _ facts: ProcessFacts, ownedNames: Set<String> = [], launched: String? = nil
    ) -> BusCaller {
        func caller(_ app: String, _ kind: BusCaller.Kind) -> BusCaller {
            var caller = BusCaller(name: name, app: app, kind: kind, process: process)
            caller.executable = facts.executablePath
            return caller
        }
        let unit = SystemdUnit(cgroup: facts.cgroup)
        if let sandbox = sandbox(facts, unit, name: name) {
            if case .opaque = sandbox.kind, let unit, trusted.contains(unit.name) {
                return caller(unit.app ?? unit.name, .app)
            }
            var caller = caller(sandbox.app, .sandboxed(sandbox.kind))
            caller.hasNetwork = Self.hasNetwork(facts, in: sandbox.kind)
            return caller
        }
        if let daemonFolder {
            let folder = Self.folder(of: facts.executablePath)
            if facts.program == "transferctl", folder == daemonFolder { return caller(BusCaller.person, .person) }
            let isOurs = folder == daemonFolder || folder == Self.folder(of: daemonFolder) + Self.helperFolder
            if facts.program == "transfer-rpc", isOurs { return caller(BusCaller.rpc, .app) }
        }
        let app =
            launched ?? UnitName.app(inGroup: facts.cgroup) ?? Self.ownName(among: ownedNames) ?? unit?.app
            ?? InterpretedProgram.app(of: facts) ?? facts.executablePath
        // A unit may have any name. The ids of the user, of RPC callers, and of opaque sandboxes are not available
        // to apps.
        let isReserved = [BusCaller.person, BusCaller.rpc].contains(app) || app.hasPrefix(BusCaller.opaquePrefix)
        return caller(isReserved ? "app:" + app : app, .app)
    }

    /// The folder of helper programs, beside that of the daemon.
    private static let helperFolder = "/libexec/background-transfer"

    // MARK: Sandboxes

    /// The sandbox of a process; `nil` only if the process is certainly outside any sandbox.
    private func sandbox(
        _ facts: ProcessFacts, _ unit: SystemdUnit?, name: String
    ) -> (app: String, kind: BusCaller.Sandbox)? {
        if let info = facts.flatpakInfo {
            // A program can forge `.flatpak-info` to pose as another app, but Flatpak's own scope then contradicts
            // the file.
            guard let id = Self.flatpakID(info), unit?.flatpak ?? id == id else {
                return (opaque(facts, unit, name), .opaque)
            }
            return (id, .flatpak)
        }
        if let snap = Self.snap(facts) { return ("snap." + snap, .snap) }
        // A D-Bus proxy on the host speaks for a sandboxed program, as with Firejail and bare bubblewrap.
        guard facts.hasSameFiles, facts.program != "xdg-dbus-proxy" else { return (opaque(facts, unit, name), .opaque) }
        return nil
    }

    /// Whether a sandbox has the network of this machine. A bus proxy of Flatpak runs outside the sandbox, so that its
    /// own namespace says nothing about the app's.
    private static func hasNetwork(_ facts: ProcessFacts, in sandbox: BusCaller.Sandbox) -> Bool {
        switch sandbox {
        case .flatpak:
            let shared = value(of: "shared", in: "[Context]", facts.flatpakInfo ?? "") ?? ""
            return shared.split(separator: ";").contains("network")
        case .opaque: return facts.hasSameNetwork == true
        case .snap: return true
        }
    }

    /// Returns an app id for a sandbox that nothing vouches for. Programs in the same mount namespace share the id;
    /// no other programs do. Without a known mount namespace of the sandbox's own, the connection identifies the
    /// program.
    ///
    /// The id contains nothing that the program itself can choose, such as a path inside the sandbox.
    private func opaque(_ facts: ProcessFacts, _ unit: SystemdUnit?, _ name: String) -> String {
        guard facts.isSameUser, facts.program != "xdg-dbus-proxy", let namespace = facts.mountNamespace,
            namespace != facts.ownMountNamespace
        else { return "\(BusCaller.opaquePrefix)\(unit?.name ?? "")#\(name)" }
        return "\(BusCaller.opaquePrefix)\(unit?.name ?? "")#\(namespace)"
    }

    /// The value of `name` in the section `Application`.
    private static func flatpakID(_ text: String) -> String? {
        value(of: "name", in: "[Application]", text).flatMap { isAppID($0) ? $0 : nil }
    }

    /// The first value of a key in a section of `.flatpak-info` (flatpak-metadata(5)).
    private static func value(of key: String, in wanted: String, _ text: String) -> String? {
        var section = Substring()
        for line in text.split(separator: "\n") {
            if line.hasPrefix("[") { section = line }
            guard section == wanted, line.hasPrefix(key + "=") else { continue }
            return line.dropFirst(key.count + 1).trimmingCharacters(in: .whitespaces)
        }
        return nil
    }

    /// Whether a text is a valid Flatpak id. The id becomes an argument of `flatpak run` and part of paths.
    static func isAppID(_ text: String) -> Bool {
        let components = text.split(separator: ".", omittingEmptySubsequences: false)
        guard components.count >= 2, text.utf8.count <= 255, !text.hasPrefix("-") else { return false }
        return components.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                        true
                    default: false
                    }
                }
        }
    }

    /// The snap of a process, from its security label `snap.NAME.APP` or its control group; `nil` if the process is not
    /// in a snap.
    private static func snap(_ facts: ProcessFacts) -> String? {
        let label = facts.securityLabel.prefix { $0 != " " && $0 != "\n" && $0 != "\0" }
        let unit = facts.cgroup.split(separator: "/").last { $0.hasPrefix("snap.") } ?? ""
        for text in [label, unit.prefix { $0 != "\n" }] {
            let components = text.split(separator: ".")
            guard components.count >= 2, components[0] == "snap", let snap = components.dropFirst().first else {
                continue
            }
            guard snap.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || isLowerOrDigit($0) })
            else { continue }
            return String(snap)
        }
        return nil
    }

    private static func isLowerOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    // MARK: Apps

    /// The app's own name among its well-known names. Excludes the prefixes of interfaces that many programs offer.
    /// Returns the shortest remaining name, because an app derives its other names from its id.
    private static func ownName(among names: Set<String>) -> String? {
        let shared = [
            "org.transferd", "org.freedesktop.", "org.mpris.", "org.kde.StatusNotifier", "org.a11y.", "org.gtk.vfs.",
        ]
        return names.filter { name in
            name.contains(".") && !name.hasPrefix(":") && !shared.contains { name.hasPrefix($0) }
        }.min { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}
