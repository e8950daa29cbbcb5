// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import TransferBusClient
import TransferEngine

/// The `transferctl apps trust` command, which treats a systemd unit's programs as apps outside any sandbox.
struct AppsTrust: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Treat the programs of a systemd unit as apps outside any sandbox.",
        discussion: """
            A program with another root folder or mount namespace than the daemon counts as sandboxed: it has to pass \
            descriptors instead of paths, and is not started for its sessions. That is right for Flatpak, Snap and bubblewrap, \
            and too strict for a service of your own with PrivateTmp=, or for a toolbox. 'transferctl apps' shows such \
            programs as 'sandbox:UNIT#NUMBER'. A program without a unit of its own gets one by 'systemd-run --user \
            --unit=NAME'. Flatpaks and snaps cannot be admitted.
            """)

    @Argument(help: ArgumentHelp("The unit, such as toolbox.service.", valueName: "unit"))
    var unit: String

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        try await client.trust(unit, true)
    }
}

/// The `transferctl apps distrust` command, which reverts `transferctl apps trust`.
struct AppsDistrust: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "distrust", abstract: "Take back what 'transferctl apps trust' has admitted.")

    @Argument(help: ArgumentHelp("The unit, such as toolbox.service.", valueName: "unit"))
    var unit: String

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        try await client.trust(unit, false)
    }
}
