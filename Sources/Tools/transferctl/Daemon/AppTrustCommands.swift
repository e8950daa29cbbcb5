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
            A program whose root folder or mount namespace differs from the daemon's counts as sandboxed: it must pass file \
            descriptors instead of paths, and names no launch command; the daemon can start only Flatpaks and snaps. This \
            suits Flatpak, Snap, and bubblewrap, but is too strict for your own service with PrivateTmp= or for a toolbox. \
            'transferctl apps' shows such programs as 'sandbox:UNIT#NUMBER'. To give a program its own unit, start it with \
            'systemd-run --user --unit=NAME'. Flatpaks and snaps cannot be trusted in this way.
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
        commandName: "distrust", abstract: "Revoke the trust given by 'transferctl apps trust'.")

    @Argument(help: ArgumentHelp("The unit, such as toolbox.service.", valueName: "unit"))
    var unit: String

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        try await client.trust(unit, false)
    }
}
