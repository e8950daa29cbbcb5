// SPDX-License-Identifier: Apache-2.0
import Glibc
internal import TransferBusProtocol
internal import TransferModel

/// The restrictions on the sessions of a sandboxed program (rules C2 and C3).
enum SandboxRules {
    /// Rejects a launch command, a bus name, and containers that do not belong to the app.
    ///
    /// - Throws: `BusFault` that names the rejected value and the remedy.
    static func check(_ settings: SessionSettings, _ options: OpeningOptions, of caller: BusCaller) throws(BusFault) {
        switch options.registration {
        case nil: break
        case .command?, .busName?:
            throw BusFault(
                .accessDenied,
                "a sandboxed program cannot specify a launch command: omit 'command' and 'bus-name'; the app is started by its "
                    + "id, \(caller.app)")
        }
        let containers = (options.containers ?? []).union(settings.sharedContainerIdentifier.map { [$0] } ?? [])
        guard let foreign = containers.filter({ !isOwn($0, caller) }).min() else { return }
        throw BusFault(
            .accessDenied,
            "'\(foreign.prefix(40))' is not a container of this sandbox; use \(caller.app), \(caller.app).…, "
                + "group.\(caller.app), or group.\(caller.app).…")
    }

    /// Whether a container's name derives from the id of the caller's sandbox.
    private static func isOwn(_ container: String, _ caller: BusCaller) -> Bool {
        guard case .sandboxed(let sandbox) = caller.kind, sandbox != .opaque else { return false }
        let name = container.hasPrefix("group.") ? container.dropFirst(6) : container[...]
        return name == caller.app || name.hasPrefix(caller.app + ".")
    }

    /// The command that starts the sandboxed app by its own id; `nil` if no command can start the app.
    static func command(of caller: BusCaller) -> [String]? {
        switch caller.kind {
        case .sandboxed(.flatpak): program("flatpak").map { [$0, "run", caller.app] }
        case .sandboxed(.snap): program("snap").map { [$0, "run", String(caller.app.dropFirst("snap.".count))] }
        case .sandboxed(.opaque), .person, .app: nil
        }
    }

    /// The path of a system program in a fixed folder; never a path from the environment. `nil` if the program is not
    /// installed.
    private static func program(_ name: String) -> String? {
        ["/usr/bin/", "/usr/local/bin/", "/bin/"].map { $0 + name }.first { access($0, X_OK) == 0 }
    }
}
