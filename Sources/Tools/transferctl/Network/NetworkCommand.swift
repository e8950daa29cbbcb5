// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import GLibBridge
import LinuxConditions
import LinuxKernel
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferModel

/// The `transferctl network` command, which shows overrides and budgets of metered networks, and sets an override.
struct NetworkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "network",
        abstract: "Show overrides and budgets of metered networks, or mark a connection as metered or unmetered.",
        discussion: """
            CONNECTION is the name that 'transferctl conditions' shows: the profile or SSID, or the interface if no service \
            names connections. yes: metered; no: unmetered; auto: what the system reports. The overrides are stored in \
            $XDG_CONFIG_HOME/transferd/overrides.toml (default: ~/.config), which you can edit. Running commands and the \
            daemon apply changes immediately.

            The daemon's configuration sets the budgets: connection-budgets and app-budgets contain the bytes per billing \
            period, and billing-day is the day of the month on which budgets are renewed. Bytes over a metered network \
            count against both. Discretionary work waits once 80 % is used, and other background work once the budget is \
            used up. User-initiated transfers continue.
            """)

    /// The values of an override.
    enum Setting: String, CaseIterable, ExpressibleByArgument {
        case yes, no, auto
    }

    @Argument(
        help: "The name of the connection to mark.",
        completion: .custom { _, _, _ in
            let overrides = (try? OverridesFile(path: AdapterFactory.overridesPath()).read())?.settings.keys
            return ConnectionNames.current.completions(with: overrides.map(Array.init) ?? [], for: .requesting)
        })
    var connection: String?

    @Argument(help: "yes, no, or auto.")
    var metered: Setting?

    @Flag(help: "Write one JSON object.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        let file = OverridesFile(path: try AdapterFactory.overridesPath())
        let overrides: ConnectionOverrides
        do {
            if let connection {
                try change(connection, in: file)
                if !json { return }
            }
            overrides = try file.read()
        } catch let error as OverridesFileError {
            throw UsageError("\(error)")
        }
        let settings = overrides.settings.sorted { $0.key < $1.key }
        if !json { for (name, setting) in settings { Console.print("\(name.printable)  \(setting.rawValue)") } }
        let budgets = try await budgets()
        if json {
            return JSONLine.print([
                "overrides": settings.map { ["connection": $0.key, "metered": $0.value.rawValue] }, "file": file.path,
                "budgets": budgets.map { $0.fields.mapValues(\.json) },
            ])
        }
        if budgets.isEmpty, settings.isEmpty { return Console.error("No overrides and no budgets.") }
        guard !budgets.isEmpty else { return }
        if !settings.isEmpty { Console.print("") }
        var table = ColumnTable(["SCOPE", "NAME", "USED", "LIMIT", "STATE", "RENEWED"])
        for row in budgets {
            table.add([
                row.scope, row.name, Formatting.bytes(row.used), Formatting.bytes(row.limit),
                Self.stateDescriptions[row.state] ?? row.state, WatchConditions.time(row.renewed),
            ])
        }
        table.print()
    }

    private static let stateDescriptions = ["below": "below 80 %", "near": "80 % or more", "over": "used up"]

    /// Returns the budgets and their use. The daemon is not asked if the configuration has no budgets.
    private func budgets() async throws -> [BudgetStatus] {
        let configuration = try? DaemonConfiguration(path: DaemonConfiguration.defaultPath(), isNamed: false)
        if let configuration, configuration.connectionBudgets.isEmpty, configuration.appBudgets.isEmpty { return [] }
        return try await DaemonConnection.with(bus: daemon.bus) { try await $0.budgets() }
    }

    private func change(_ connection: String, in file: OverridesFile) throws {
        guard !connection.isEmpty else { throw UsageError("the connection's name is empty") }
        guard let metered else {
            throw UsageError("missing value after the connection; use yes (metered), no (unmetered), or auto (remove)")
        }
        try PrivateFolder.make(
            String(file.path[..<(file.path.lastIndex(of: "/") ?? file.path.startIndex)]),
            called: "the configuration folder",
            remedy: "set XDG_CONFIG_HOME to another folder")
        try file.change { $0.settings[connection] = .init(rawValue: metered.rawValue) }
        if metered != .auto, let advice = ConnectionNames.current.advice(about: connection) {
            Console.error("transferctl: \(advice)".printable)
        }
    }
}
