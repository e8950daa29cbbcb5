// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import GLibBridge
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// The `transferctl apps` command, which groups the commands about apps.
struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps", abstract: "Show and manage apps with transfers, sessions, or delayed background work.",
        subcommands: [AppsList.self, AppsQuit.self, AppsTrust.self], defaultSubcommand: AppsList.self)
}

/// The `transferctl apps list` command, which is also the default of `transferctl apps`.
struct AppsList: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show apps with transfers, their sessions, and the apps whose background work is delayed.",
        discussion: """
            Transfers that you submit with transferctl belong to the app 'person'. For apps with background sessions, \
            APP STATE shows whether the app is in the foreground, in the background, or not connected; EVENTS is the number \
            of unacknowledged events; STARTS counts the starts of the app since the daemon started, with the error of the \
            last. The disk space of an app consists of UPLOADS (files that the daemon keeps until they are sent), FINISHED \
            (downloads that the app has not moved away), and PARTIAL (data of unfinished downloads). The key files-per-app \
            of the daemon's configuration limits the space for background sessions.

            Each relaunch of an app for its transfers doubles the delay of background work that the app submits \
            afterward. Bringing the app to the foreground ends the delay. CAUSE is the reason why the delay still applies.
            """)

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let (apps, sessions) = (try await client.apps(), try await client.sessions())
        let delays = try await client.relaunchDelays()
        if json {
            return JSONLine.print([
                "apps": apps.map { $0.fields.mapValues(\.json) },
                "sessions": sessions.map { $0.listed.mapValues(\.json) },
                "limiters": delays.map { $0.fields.mapValues(\.json) },
            ])
        }
        var tables = [ColumnTable]()
        if !apps.isEmpty { tables.append(Self.table(apps)) }
        if !sessions.isEmpty { tables.append(Self.table(sessions)) }
        if !delays.isEmpty { tables.append(Self.table(delays)) }
        for (index, table) in tables.enumerated() {
            if index > 0 { Console.print("") }
            table.print()
        }
        if tables.isEmpty { Console.error("No apps have transfers or sessions.") }
    }

    private static func table(_ apps: [AppSummary]) -> ColumnTable {
        var table = ColumnTable([
            "APP", "UNFINISHED", "RUNNING", "WAITING", "PAUSED", "UPLOADS", "FINISHED", "PARTIAL", "APP STATE",
            "EVENTS", "STARTS", "STARTED BY",
        ])
        for row in apps {
            let background = row.background
            table.add(
                [row.app] + [row.open, row.running, row.waiting, row.paused].map(String.init)
                    + [row.sourceBytes, row.finishedBytes, row.partialBytes].map { $0 > 0 ? Formatting.bytes($0) : "-" }
                    + [
                        background.map(connectionState) ?? "-", background.map { "\($0.waitingEvents)" } ?? "-",
                        background.map(launchSummary) ?? "-", launchMethod(background?.registration),
                    ])
        }
        return table
    }

    private static func table(_ sessions: [SessionStatus]) -> ColumnTable {
        var table = ColumnTable([
            "SESSION", "APP", "STATE", "UNFINISHED", "RUNNING", "WAITING", "PAUSED", "DONE", "EVENTS", "PROCESS",
        ])
        for row in sessions {
            let bytes = Formatting.bytes(row.bytes)
            table.add(
                [row.name.identifier, row.name.app, row.state]
                    + [row.open, row.running, row.waiting, row.paused].map(String.init)
                    + [row.total.map { "\(bytes) of \(Formatting.bytes($0))" } ?? bytes]
                    + [row.background?.waitingEvents, row.background?.owner.map(Int.init)].map {
                        $0.map(String.init) ?? "-"
                    })
        }
        return table
    }

    private static func table(_ delays: [RelaunchDelayStatus]) -> ColumnTable {
        let causes = [
            "period": "delay not over", "heldTask": "a delayed transfer is unfinished",
            "relaunch": "a relaunch is pending",
        ]
        var table = ColumnTable(["DELAYED APP", "DELAY", "RELAUNCHES", "UNTIL", "CAUSE", "DELAYED"])
        for row in delays {
            let delayed = row.waiting.map { "\($0.count) until \(WatchConditions.time($0.release))" }
            table.add([
                row.app, Formatting.span(row.delay), "\(row.relaunches)", row.until.map(WatchConditions.time) ?? "-",
                causes[row.cause] ?? "", delayed.isEmpty ? "-" : delayed.joined(separator: ", "),
            ])
        }
        return table
    }

    /// Returns the state of an app with background sessions: foreground, background, or not connected.
    private static func connectionState(_ app: AppSummary.Background) -> String {
        app.isConnected ? app.isInFront ? "foreground" : "background" : "not connected"
    }

    /// Returns the bus name or the command that starts the app.
    private static func launchMethod(_ registration: AppRegistration?) -> String {
        switch registration {
        case .busName(let name)?: name
        case .command(let words)?: words.joined(separator: " ")
        case nil: "-"
        }
    }

    /// Returns the number of starts, the failures among them, and the daemon's last message about a start.
    private static func launchSummary(_ app: AppSummary.Background) -> String {
        let failures = [
            ("program missing", app.missing), ("ended immediately", app.crashed), ("did not answer", app.silent),
        ].compactMap {
            $1 > 0 ? "\($1) \($0)" : nil
        }
        var text = "\(app.launches)"
        if !failures.isEmpty { text += " (\(failures.joined(separator: ", ")))" }
        if let words = app.lastError { text += ": \(words.printable)" }
        return text
    }
}

/// The `transferctl apps quit` command, which cancels and removes all transfers of an app.
struct AppsQuit: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "quit",
        abstract: "Cancel all transfers of an app and delete their partial files.",
        discussion:
            "A crash, a logout, or a restart of the app cancels nothing. Prints the number of canceled transfers.")

    @Argument(help: ArgumentHelp("The name of the app, as shown by 'transferctl apps'.", valueName: "app"))
    var app: String

    @Flag(help: "Write JSON: one object with the key cancelled.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let count = try await client.quit(app)
        if json { return JSONLine.print(["cancelled": count]) }
        Console.print("\(count)")
    }
}

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

    @Flag(help: "Revoke the trust.")
    var revoke = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        try await client.trust(unit, !revoke)
    }
}
