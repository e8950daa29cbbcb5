// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import ToolSupport

/// The `transferctl service uninstall` command, which removes the service files.
struct ServiceUninstall: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall",
        abstract: "Remove the files written by 'install'. A running daemon keeps running until it is stopped.",
        discussion: """
            If a package has installed the daemon, systemd no longer starts the daemon at login. The bus still starts it \
            on first use, until the package is removed.
            """)

    @Flag(help: "Uninstall only the machine's service that publishes conditions. Needs root.")
    var system = false

    func run() throws {
        guard !system else { return try ConditionsInstall(program: ServiceInstall.daemonPath).uninstall() }
        ServiceWriter.runFromPath(["systemctl", "--user", "disable", "--now", ConditionUnits.service])
        let packaged = PackagedService.find(program: ServiceInstall.daemonPath)
        ServiceFiles.disable()
        try ServiceWriter.remove(ServiceFiles().all)
        ServiceWriter.reloadManagers()
        if let packaged {
            Console.error(
                "The package's \(packaged.activation) still starts the daemon on first use. To prevent that, remove the "
                    + "package.")
        }
    }
}
