// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The Flatpaks that are installed on this machine.
package enum InstalledFlatpak {
    /// The paths of the program `flatpak`. They do not depend on the environment.
    private static let programs = ["/usr/bin/flatpak", "/usr/local/bin/flatpak", "/bin/flatpak"]

    /// The folders with a launcher for each installed Flatpak: those of the user, and those of all users.
    private static var launcherFolders: [String] {
        let environment = ProcessInfo.processInfo.environment
        let own = environment["XDG_DATA_HOME"] ?? environment["HOME"].map { $0 + "/.local/share" }
        return [own, "/var/lib"].compactMap { $0 }.map { $0 + "/flatpak/exports/bin" }
    }

    /// Returns the command that starts a Flatpak, or `nil` if no Flatpak with the ID is installed.
    ///
    /// - Parameters:
    ///   - app: The ID of the Flatpak, such as `org.example.App`.
    ///   - folders: The folders with launchers. `nil` means the standard folders.
    ///   - programs: The possible paths of the program `flatpak`. `nil` means the standard paths.
    package static func command(
        starting app: String, folders: [String]? = nil, programs: [String]? = nil
    ) -> [String]? {
        guard app.contains("."), !app.contains("/"), !app.hasPrefix("."), !app.hasPrefix("-"),
            (folders ?? launcherFolders).contains(where: { access("\($0)/\(app)", F_OK) == 0 }),
            let program = (programs ?? Self.programs).first(where: { access($0, X_OK) == 0 })
        else { return nil }
        return [program, "run", app]
    }
}
