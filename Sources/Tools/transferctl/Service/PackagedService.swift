// SPDX-License-Identifier: Apache-2.0
import Foundation
import TransferBusProtocol

/// The installation of the daemon by a package, for all users.
struct PackagedService {
    /// The path of the service file for the bus.
    let activation: String

    /// Returns the installation that starts a daemon, or `nil` if no package has installed the daemon.
    ///
    /// - Parameters:
    ///   - program: The path of the daemon.
    ///   - folders: The folders of the system's data, in the order of preference.
    static func find(program: String, in folders: [String] = dataFolders()) -> PackagedService? {
        for folder in folders {
            let path = folder + "/dbus-1/services/\(TransferBusName.service).service"
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
            // A file for another daemon hides the files in the remaining folders from the bus.
            return text.split(separator: "\n").contains("Exec=\(program)") ? PackagedService(activation: path) : nil
        }
        return nil
    }

    /// Returns the folders in `XDG_DATA_DIRS`, or the default of the XDG Base Directory Specification.
    static func dataFolders(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> [String] {
        let named = (environment["XDG_DATA_DIRS"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        return named.isEmpty ? ["/usr/local/share", "/usr/share"] : named.map(String.init)
    }

    /// Makes the user's systemd start the daemon at each login.
    ///
    /// - Returns: Whether systemd has accepted the request.
    func enable() -> Bool { ServiceWriter.runFromPath(["systemctl", "--user", "enable", "transferd.service"]) }

    /// Makes the user's systemd no longer start the daemon at each login.
    func disable() { ServiceWriter.runFromPath(["systemctl", "--user", "disable", "transferd.service"]) }
}
