// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import GLibBridge
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// The `transferctl limiter` command, which shows the delays that keep apps from being started too often.
struct LimiterCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "limiter",
        abstract: "Show the apps whose background work waits longer, since their transfers had them started often.",
        discussion: """
            Each start of an app because of its transfers doubles the delay of background work that it hands over \
            afterwards; bringing the app to the front ends it. CAUSE says what keeps the delay up: its period runs, or a \
            transfer that was held may start the app again.

            With --json one object with limiters, a list of objects: app, delay (seconds), relaunches, last, until, cause \
            (period, heldTask, relaunch), waiting (a list of release, count), begun.
            """)

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let rows = try await client.relaunchDelays()
        if json { return JSONLine.print(["limiters": rows.map { $0.fields.mapValues(\.json) }]) }
        guard !rows.isEmpty else { return Console.error("no app waits longer than any other") }
        var table = TextTable(["APP", "DELAY", "STARTS", "UNTIL", "CAUSE", "HOLDS"])
        for row in rows {
            let holds = row.waiting.map { "\($0.count) until \(WatchConditions.time($0.release))" }
            table.add([
                row.app, Formatting.span(row.delay), "\(row.relaunches)",
                row.until.map(WatchConditions.time) ?? "-", Self.words[row.cause] ?? "",
                holds.isEmpty ? "nothing" : holds.joined(separator: ", "),
            ])
        }
        table.print()
    }

    private static let words = [
        "period": "its period runs", "heldTask": "a held transfer is not over", "relaunch": "a start is still to come",
    ]
}

/// The `transferctl sessions` command, which shows sessions with unfinished transfers, open sessions, and sessions
/// with events.
struct SessionsCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Show the sessions that have transfers which are not over, or that apps have open or left events in.",
        discussion: """
            EVENTS are what the session's app has not dealt with yet, PROCESS has it open. With --json one object with \
            sessions, a list of objects: path (the object on the bus), app, identifier, state (running, waiting, paused, \
            idle), open, running, waiting, paused, bytes, total; of an app's background sessions, too: tasks (not over), \
            waiting-events, owner (the process).
            """)

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let rows = try await client.sessions()
        if json { return JSONLine.print(["sessions": rows.map { $0.listed.mapValues(\.json) }]) }
        guard !rows.isEmpty else { return Console.error("there are no sessions") }
        var table = TextTable([
            "APP", "SESSION", "STATE", "OPEN", "RUNNING", "WAITING", "PAUSED", "DONE", "EVENTS", "PROCESS",
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
        commandName: "apps", abstract: "Show the apps that have transfers, or end what an app has for good.",
        subcommands: [AppsList.self, AppsQuit.self, AppsTrust.self, AppsDistrust.self], defaultSubcommand: AppsList.self
    )
}

/// The `transferctl apps list` command, which is also the default of `transferctl apps`.
struct AppsList: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show the apps that have transfers, background sessions, or background work that waits longer.",
        discussion: """
            What you hand over by the command line belongs to the app 'person'. APP IS says whether an app with background \
            sessions is in front, in the background or not connected; EVENTS are what it has not dealt with yet; STARTS are \
            what the daemon did about that since its own start, and how the last one went. On disk are: UPLOADS, files that \
            the daemon keeps until they are sent; FINISHED, downloads of sessions that the app has not taken; PARTIAL, what \
            unfinished downloads have so far. An app may have files-per-app bytes by its sessions, a key of the daemon's \
            settings. With --json one object with apps, \
            a list of objects: app, open, running, waiting, paused, sessions, delay (seconds; see 'transferctl limiter'), \
            tasks (of sessions, not over), source-files, source-bytes (UPLOADS), finished-files, finished-bytes, \
            partial-bytes, counted-bytes and bytes-limit (what counts towards files-per-app, and that); of those with \
            background sessions, too: connected, front, waiting-events, launches, failures, missing, crashed, \
            silent (of the failures: no program, ended at once, did not take the call), last-launch, last-outcome (started, \
            missing, crashed, silent), last-words, bus-name or command (how it is started), registered-by (the program that \
            said so).
            """)

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let rows = try await client.apps()
        if json { return JSONLine.print(["apps": rows.map { $0.fields.mapValues(\.json) }]) }
        guard !rows.isEmpty else { return Console.error("no app has transfers or sessions") }
        var table = TextTable([
            "APP", "OPEN", "RUNNING", "WAITING", "PAUSED", "UPLOADS", "FINISHED", "PARTIAL", "DELAY", "SESSIONS",
            "APP IS", "EVENTS", "STARTS", "STARTED BY",
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
                        background.map(Self.place) ?? "-", background.map { "\($0.waitingEvents)" } ?? "-",
                        background.map(Self.starts) ?? "-", Self.starter(background?.registration),
                    ])
        }
        table.print()
    }

    /// Returns whether an app with background sessions is in front, in the background, or not connected.
    private static func place(_ app: AppSummary.Background) -> String {
        app.isConnected ? app.isInFront ? "in front" : "in background" : "not connected"
    }

    /// Returns the bus name or the command that starts the app.
    private static func starter(_ registration: AppRegistration?) -> String {
        switch registration {
        case .busName(let name)?: name
        case .command(let words)?: words.joined(separator: " ")
        case nil: "-"
        }
    }

    /// Returns the number of starts, the failures among them, and the daemon's last message about a start.
    private static func starts(_ app: AppSummary.Background) -> String {
        let failures = [("missing", app.missing), ("crashed", app.crashed), ("silent", app.silent)].compactMap {
            $1 > 0 ? "\($1) \($0)" : nil
        }
        var text = "\(app.launches)"
        if !failures.isEmpty { text += " (\(failures.joined(separator: ", ")))" }
        if let words = app.lastWords { text += ": \(words.printable)" }
        return text
    }
}

/// The `transferctl apps quit` command, which cancels and removes all transfers of an app.
struct AppsQuit: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "quit",
        abstract: "End an app for good: cancel all of its transfers and remove what there is of them.",
        discussion: "A crash, a logout or a restart of the app cancels nothing; this does. Prints how many there were.")

    @Argument(help: ArgumentHelp("The app, as 'transferctl apps' shows it.", valueName: "app"))
    var app: String

    @Flag(help: "Write JSON: one object with cancelled.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let count = try await client.quit(app)
        if json { return JSONLine.print(["cancelled": count]) }
        Console.print("\(count)")
    }
}
