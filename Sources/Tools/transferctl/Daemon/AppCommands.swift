// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import GLibBridge
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// The `transferctl limiter` command, which shows the delays that keep apps from being relaunched too often.
struct LimiterCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "limiter",
        abstract: "Show apps whose background work is delayed because their transfers relaunched them often.",
        discussion: """
            Each relaunch of an app for its transfers doubles the delay of background work that the app submits \
            afterward. Bringing the app to the foreground ends the delay. CAUSE is the reason why the delay still applies.

            With --json: one object with limiters, a list of objects: app, delay (seconds), relaunches, last, until, cause \
            (period, heldTask, relaunch), waiting (a list of release, count), begun.
            """)

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let rows = try await client.relaunchDelays()
        if json { return JSONLine.print(["limiters": rows.map { $0.fields.mapValues(\.json) }]) }
        guard !rows.isEmpty else { return Console.error("No app is delayed.") }
        var table = ColumnTable(["APP", "DELAY", "RELAUNCHES", "UNTIL", "CAUSE", "DELAYED"])
        for row in rows {
            let delayed = row.waiting.map { "\($0.count) until \(WatchConditions.time($0.release))" }
            table.add([
                row.app, Formatting.span(row.delay), "\(row.relaunches)",
                row.until.map(WatchConditions.time) ?? "-", Self.words[row.cause] ?? "",
                delayed.isEmpty ? "-" : delayed.joined(separator: ", "),
            ])
        }
        table.print()
    }

    private static let words = [
        "period": "delay not over", "heldTask": "a delayed transfer is unfinished",
        "relaunch": "a relaunch is pending",
    ]
}

/// The `transferctl sessions` command, which shows sessions with unfinished transfers, open sessions, and sessions
/// with events.
struct SessionsCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Show sessions that have unfinished transfers, are open, or have unacknowledged events.",
        discussion: """
            EVENTS is the number of unacknowledged events. PROCESS is the process that has the session open. \
            With --json: one object with sessions, a list of objects: path (the object on the bus), app, identifier, state \
            (running, waiting, paused, idle), open, running, waiting, paused, bytes, total. Background sessions of an app \
            also have tasks (unfinished), waiting-events, and owner (the process).
            """)

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let rows = try await client.sessions()
        if json { return JSONLine.print(["sessions": rows.map { $0.listed.mapValues(\.json) }]) }
        guard !rows.isEmpty else { return Console.error("No sessions.") }
        var table = ColumnTable([
            "APP", "SESSION", "STATE", "UNFINISHED", "RUNNING", "WAITING", "PAUSED", "DONE", "EVENTS", "PROCESS",
        ])
        for row in rows {
            let bytes = Formatting.bytes(row.bytes)
            table.add(
                [row.name.app, row.name.identifier, row.state]
                    + [row.open, row.running, row.waiting, row.paused].map(String.init)
                    + [row.total.map { "\(bytes) of \(Formatting.bytes($0))" } ?? bytes]
                    + [row.background?.waitingEvents, row.background?.owner.map(Int.init)].map {
                        $0.map(String.init) ?? "-"
                    })
        }
        table.print()
    }
}

/// The `transferctl apps` command, which groups the commands about apps.
struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps", abstract: "Show and manage apps that have transfers.",
        subcommands: [AppsList.self, AppsQuit.self, AppsTrust.self, AppsDistrust.self], defaultSubcommand: AppsList.self
    )
}

/// The `transferctl apps list` command, which is also the default of `transferctl apps`.
struct AppsList: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show apps that have transfers, background sessions, or delayed background work.",
        discussion: """
            Transfers that you submit with transferctl belong to the app 'person'. For apps with background sessions, \
            APP STATE shows whether the app is in the foreground, in the background, or not connected; EVENTS is the number \
            of unacknowledged events; STARTS counts the starts of the app since the daemon started, with the error of the \
            last. The disk space of an app consists of UPLOADS (files that the daemon keeps until they are sent), FINISHED \
            (downloads that the app has not moved away), and PARTIAL (data of unfinished downloads). The key files-per-app \
            of the daemon's configuration limits the space for background sessions.

            With --json: one object with apps, a list of objects: app, open, running, waiting, paused, sessions, delay \
            (seconds; see 'transferctl limiter'), tasks (unfinished, of sessions), source-files, source-bytes (UPLOADS), \
            finished-files, finished-bytes, partial-bytes, counted-bytes (toward files-per-app), bytes-limit \
            (files-per-app). Apps with background sessions also have connected, front, waiting-events, launches, failures, \
            missing, crashed, silent (failures by kind: program missing, ended immediately, did not answer), \
            last-launch, last-outcome (started, missing, crashed, silent), last-error, bus-name or command (how the app is \
            started), registered-by (the program that registered the app).
            """)

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let rows = try await client.apps()
        if json { return JSONLine.print(["apps": rows.map { $0.fields.mapValues(\.json) }]) }
        guard !rows.isEmpty else { return Console.error("No apps have transfers or sessions.") }
        var table = ColumnTable([
            "APP", "UNFINISHED", "RUNNING", "WAITING", "PAUSED", "UPLOADS", "FINISHED", "PARTIAL", "DELAY", "SESSIONS",
            "APP STATE", "EVENTS", "STARTS", "STARTED BY",
        ])
        for row in rows {
            let background = row.background
            table.add(
                [row.app] + [row.open, row.running, row.waiting, row.paused].map(String.init)
                    + [row.sourceBytes, row.finishedBytes, row.partialBytes].map {
                        $0 > 0 ? Formatting.bytes($0) : "-"
                    }
                    + [
                        Formatting.span(row.delay),
                        row.sessions.isEmpty ? "-" : row.sessions.joined(separator: ", "),
                        background.map(Self.connectionState) ?? "-", background.map { "\($0.waitingEvents)" } ?? "-",
                        background.map(Self.launchSummary) ?? "-", Self.launchMethod(background?.registration),
                    ])
        }
        table.print()
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
