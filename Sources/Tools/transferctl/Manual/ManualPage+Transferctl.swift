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
        ("transferctl hold --for 2h --reason meeting", "Stop all transfers of the daemon for two hours."),
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
        try CommandDescription.root(TransferControl.self).page(
            number: 1, version: TransferControl.version,
            sections: [
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
