// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// The `transferctl service` command, which makes systemd and the bus start the daemon for this user.
struct ServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service",
        abstract: "Install, uninstall, and inspect the service that starts the daemon on first use.",
        subcommands: [
            ServiceInstall.self, ServiceUninstall.self, ServiceStatus.self, ServiceMetrics.self,
            ServicePackageFiles.self,
        ])
}
