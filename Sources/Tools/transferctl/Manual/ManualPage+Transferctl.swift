// SPDX-License-Identifier: Apache-2.0
import ManualPages

extension ManualPage {
    /// The examples of the page transferctl(1): command lines and their purposes.
    static let transferctlExamples: [(command: String, purpose: String)] = [
        (
            "transferctl get https://example.org/file.iso",
            "Download a file now. After an interruption, the same command continues."
        ),
        (
            "transferctl get --discretionary https://example.org/file.iso",
            "Download a file once the machine is on AC power and an unmetered network."
        ),
        (
            "transferctl add --window 01:00-06:00 --by +3d https://example.org/b",
            "Let the daemon download a file at night, within three days."
        ),
        (
            "transferctl get --dry-run --not-before 18:00 https://example.org/f",
            "Show what would happen, when, and why, without a request."
        ),
        (
            "transferctl get --checksums SHA256SUMS -i urls.txt",
            "Download a list of files, and verify each file."
        ),
        ("transferctl list\ntransferctl why 7", "See what the daemon does, and why transfer 7 waits."),
        ("transferctl now 7", "Start transfer 7 without waiting for the policy."),
        ("transferctl hold --for 2h --reason meeting", "Stop all transfers for two hours."),
        ("transferctl network \"Phone\" yes", "Treat a connection as metered, whatever the system reports."),
        (
            "transferctl run --when ac --on-loss freeze --by +20h -- restic backup ~",
            "Run a backup on AC power, freeze it on battery, and start it within 20 hours at the latest."
        ),
        (
            "transferctl wait --when ac,unmetered --timeout 0 && restic backup ~",
            "Run a backup only if the machine is on AC power and an unmetered network."
        ),
    ]

    /// Returns the page transferctl(1).
    static func transferctl() throws -> ManualPage {
        try CommandDescription.root(TransferControl.self, showsHidden: true).page(
            number: 1, version: TransferControl.version,
            sections: [
                ManualSection("JSON", json),
                ManualSection("EXIT STATUS", exitStatuses),
                ManualSection("ENVIRONMENT", environment),
                ManualSection("FILES", files),
                ManualSection(
                    "EXAMPLES", transferctlExamples.map { .example($0.command, $0.purpose) }),
                ManualSection(
                    "SEE ALSO",
                    [.paragraph("transferd(8), transferd.toml(5), transferlab(1), busctl(1), nmcli(1), upower(1)")]),
            ])
    }

    private static let json: [ManualBlock] = [
        .entry(
            "get --json",
            """
            Each line is a JSON object with the keys event (waiting, started, progress, restarted, paused, retrying, \
            deadlineAtRisk, deadlineMissed, finished, failed, cancelled), deadline, id, url (without its query), time \
            (RFC 3339), reasons (a list of code, sentence, since, source, confidence, and the data of the reason; the \
            code is interrupted or ended if the command itself stopped the transfer), sentence, waited (a list of \
            code, seconds: the waiting time for each reason), expectedChance (the time at which past weeks make good \
            conditions likely, or null), until, bytes, total (null if unknown), rate (bytes per second), attempt, \
            status, path, alreadyComplete, elapsed (seconds) and averageRate (bytes per second) of a transfer that \
            took a second or longer, error (code, message). A set of files ends with the event setFinished, with \
            name, path, files (their number), and bytes. After several transfers, the last line has the event \
            summary, with the counts finished, alreadyComplete, failed, cancelled, unfinished, the received bytes, \
            and failedURLs, the first URLs that failed.
            """),
        .entry(
            "put --json",
            """
            Each line is a JSON object with the keys of 'transferctl get'. The last line also has response \
            (contentType, cut, and body as text or base64).
            """),
        .entry(
            "list --json",
            """
            One object with transfers, a list of objects: id, url (without its query), name, app, session, upload, \
            kind, priority, state (waiting, running, paused, finished, failed, cancelled), bytes, total, rate (bytes \
            per second), attempt, submitted, deadline, deadline-state (atRisk, missed), sentence, path, status, \
            error-code, error; and commands, a list of objects: id, name (the first word of the command), state \
            (waiting, running, frozen, stopping), deadline, sentence. Unknown values are left out. With IDs, \
            transfers also have directory, constraints, policy, and on-complete.
            """),
        .entry(
            "watch --json",
            """
            Each change is an object with event (transfer, with the keys of 'transferctl list'; conditions; hold), \
            time, and the data of the event.
            """),
        .entry(
            "why --json",
            """
            One object with sentence, reasons (a list of code, sentence, since, source, confidence, and the data of \
            the reason), waited (a list of code, seconds), and, if known, until and expectedChance. Without an ID: \
            one object with waiting, a list of sentence, ids.
            """),
        .entry(
            "history --json",
            """
            One object with transfers, a list of objects (id, name, url without its query, app, session, kind, \
            priority, host, upload, status, bytes, path, moments: a list of time, event, note) and conditions (a list \
            of start, end, power, level, network, linkKind, metered, asleep). With an ID: one such object of \
            transfers.
            """),
        .entry(
            "network --json",
            """
            One object with overrides (a list of connection, metered), file, and budgets, a list of scope \
            (connection, app), name, limit, used (bytes), state (below, near, over), renewed.
            """),
        .entry(
            "apps --json",
            """
            One object with three lists of objects. apps: app, open, running, waiting, paused, sessions, delay \
            (seconds), tasks (unfinished, of sessions), source-files, source-bytes (UPLOADS), finished-files, \
            finished-bytes, partial-bytes, counted-bytes (toward files-per-app), bytes-limit (files-per-app). Apps \
            with background sessions also have connected, front, waiting-events, launches, failures, missing, \
            crashed, silent (failures by kind: program missing, ended immediately, did not answer), last-launch, \
            last-outcome (started, missing, crashed, silent), last-error, bus-name or command (how the app is \
            started), registered-by (the program that registered the app). sessions: path (the object on the bus), \
            app, identifier, state (running, waiting, paused, idle), open, running, waiting, paused, bytes, total; \
            background sessions also have tasks, waiting-events, and owner (the process that has the session open). \
            limiters: app, delay (seconds), relaunches, last, until, cause (period, heldTask, relaunch), waiting (a \
            list of release, count), begun.
            """),
        .entry(
            "config --json",
            """
            Policy, rule (in a sentence), from (daemon or configuration), and configuration (the file); with --defaults: keys, a list of \
            name, default (null: no limit), unit, and meaning.
            """),
        .entry(
            "config check --json",
            """
            Valid, and policy or errors, a list; error has all of them as one text.
            """),
        .entry(
            "config policies --json",
            """
            One object with policies, a list of name, summary, and parameters. Each parameter has key, meaning, unit \
            (empty for a plain number), default, minimum, maximum (null if unlimited), and whole (true if the value \
            must be a whole number).
            """),
        .entry(
            "service status --json",
            """
            Installed, process, version, commit, state, policy, workerConfinement, lost (the data lost if the queue \
            was damaged when the daemon started).
            """),
    ]

    private static let exitStatuses: [ManualBlock] = [
        .entry("0", "Success."),
        .entry("1", "At least one transfer failed."),
        .entry("2", "The usage or the configuration is wrong."),
        .entry("3", "The daemon cannot be reached."),
        .entry("4", "The awaited event did not occur in time."),
        .entry(
            "75, 126, 127, others",
            "Of run: the status of the command; 75 if --on-loss stop ended it; 126 or 127 if it cannot be run."),
        .entry("130", "Interrupted by Ctrl-C. Partial files are kept; run the same command again to continue."),
        .entry("143", "Ended by SIGTERM. Partial files are kept."),
    ]

    private static let environment: [ManualBlock] = [
        .entry(
            "http_proxy, https_proxy, all_proxy, no_proxy",
            "The proxy for requests, and the hosts that need no proxy, unless --proxy is used. Applies to get and put."),
        .entry("NETRC", "The file with user names and passwords for --netrc. The default is ~/.netrc."),
        .entry("DBUS_SESSION_BUS_ADDRESS", "The bus of the daemon, unless --bus is used."),
        .entry("NO_COLOR", "If set and not empty, the output has no colors."),
        .entry(
            "XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME, XDG_DATA_HOME",
            "The folders below which files are kept. The defaults are ~/.config, ~/.local/state, ~/.cache, and ~/.local/share."
        ),
        .entry(
            "TRANSFER_ID, TRANSFER_URL, TRANSFER_PATH, TRANSFER_STATUS, TRANSFER_RESULT",
            "Set for the command of --on-complete: the transfer's number, its URL, the path of the file, the HTTP status, and finished or failed."
        ),
    ]

    private static let files: [ManualBlock] = [
        .entry(
            "$XDG_CONFIG_HOME/transferd/get.toml",
            "Default options of get, in TOML. The keys are the names of options; --no-config ignores the file."),
        .entry("$XDG_CONFIG_HOME/transferd/overrides.toml", "The connections that network marks, one per line."),
        .entry("$XDG_CONFIG_HOME/transferd/config.toml", "The daemon's configuration: see transferd.toml(5)."),
        .entry("$XDG_STATE_HOME/transferd/", "The daemon's queue and partial files."),
        .entry("$XDG_STATE_HOME/transferd/get/", "The queue and partial files of get and put."),
        .entry("$XDG_CACHE_HOME/transferd/", "Files without a destination folder."),
    ]
}
