// SPDX-License-Identifier: Apache-2.0

extension DaemonConfiguration {
    /// A description of a key of the file, for users.
    package struct Key: Hashable, Sendable {
        /// The name of the key.
        package var name: String
        /// The default value, in the syntax of the file.
        package var defaultText: String
        /// The unit of the value, or an empty string.
        package var unit: String
        /// A description of the key and its permitted values.
        package var meaning: String

        /// The default value, or `nil` if there is no limit by default. The default text is then an example.
        package var defaultValue: String? { ["rate-limit", "window"].contains(name) ? nil : defaultText }

        /// The key as a commented-out line of the file, after a line with its meaning.
        package var lines: [String] {
            [
                "# \(meaning)" + (unit.isEmpty ? "" : " (\(unit))"),
                "#\(name) = \(defaultText)" + (defaultValue == nil ? "  # an example" : ""),
            ]
        }
    }

    /// All keys, sorted by name.
    package static let keys: [Key] = [
        Key(
            name: "allow-local-redirects", defaultText: "false", unit: "",
            meaning:
                "Whether public servers may redirect to addresses of this machine and its network; never for sandboxed apps. "
                + "Takes effect at the next start."),
        Key(
            name: "app-budgets", defaultText: "{}", unit: "bytes per billing period, by app name",
            meaning:
                "The metered bytes that each app may use. Discretionary work waits once 80 % is used, other background work "
                + "once the budget is used up. Transfers of transferctl belong to the app \"person\"."),
        Key(
            name: "billing-day", defaultText: "1", unit: "day of the month, 1 to 31",
            meaning: "The day on which budgets are renewed. Shorter months use their last day."),
        Key(
            name: "condition", defaultText: "{}", unit: "",
            meaning:
                "Your own conditions, each a table [condition.NAME] with values = [VALUE...] and a source: file = PATH, command "
                + "= [PROGRAM, ARGUMENT...] (every = \"30s\"), dbus = { bus, name, path, interface, property }, or none for "
                + "'transferctl conditions set'. Also debounce = \"10s\" and sentence = { VALUE = TEXT }. Require one with "
                + "--when NAME=VALUE. Takes effect at the next start."),
        Key(
            name: "connection-budgets", defaultText: "{}",
            unit: "bytes per billing period, by connection name",
            meaning: "The metered bytes that each connection may carry. The limits work as in app-budgets."),
        Key(
            name: "files-per-app", defaultText: "20000000000", unit: "bytes, also as \"20G\"",
            meaning:
                "The disk space for an app's background sessions: partial files, finished files that the app has not moved "
                + "away, and kept files of uploads."),
        Key(
            name: "log-level", defaultText: "\"info\"", unit: "",
            meaning:
                "The minimum log level: trace, debug, info, notice, warning, error, or critical. Takes effect at the next start."
        ),
        Key(
            name: "notify", defaultText: "true", unit: "",
            meaning: "Whether to show a desktop notification when a transfer of transferctl ends."),
        Key(
            name: "open-per-app", defaultText: "10000", unit: "transfers, 1 to 10000000",
            meaning: "The maximum number of unfinished transfers of an app."),
        Key(
            name: "parallel", defaultText: "4", unit: "transfers, 1 to 256",
            meaning: "The maximum number of transfers that run at the same time. Takes effect at the next start."),
        Key(
            name: "parallel-per-app", defaultText: "4", unit: "transfers, 1 to 256",
            meaning:
                "The maximum number of transfers of one app that run at the same time. Takes effect at the next start."),
        Key(
            name: "parallel-per-host", defaultText: "2", unit: "transfers, 1 to 256",
            meaning:
                "The maximum number of transfers with one server that run at the same time. Takes effect at the next start."
        ),
        Key(
            name: "patience", defaultText: "\"balanced\"", unit: "",
            meaning:
                "How much worse late is than battery, for transfers that do not state their own patience: relaxed, balanced, "
                + "or prompt. Applies to the policy \"default\" only."),
        Key(
            name: "policy", defaultText: "\"default\"", unit: "",
            meaning: "The policy for discretionary work: NAME[:key=value]... 'transferctl config policies' lists all."),
        Key(
            name: "price", defaultText: "{}", unit: "",
            meaning:
                "The source of energy prices (a tariff or carbon intensity): file = PATH, or command = [PROGRAM, ARGUMENT...], "
                + "which runs every hour without a shell. CSV with start,end,price and optionally made. Takes effect at the "
                + "next start."),
        Key(
            name: "rate-limit", defaultText: "1000000",
            unit: "bytes per second, also as \"1.5M\"; no limit by default",
            meaning: "The maximum rate of all transfers together."),
        Key(
            name: "rate-windows", defaultText: "{}",
            unit: "bytes per second, by time window of the local week",
            meaning:
                "Rates instead of rate-limit at some times, such as { \"Mon-Fri 08:00-18:00\" = \"500K\" }. Of several open "
                + "windows, the lowest rate applies."),
        Key(
            name: "relaunch-delay", defaultText: "60", unit: "seconds, also as \"5m\"; at most a day",
            meaning:
                "How long an app's background work waits after the app's first relaunch. Each relaunch doubles the delay. Takes "
                + "effect at the next start."
        ),
        Key(
            name: "relaunch-delay-limit", defaultText: "21600", unit: "seconds, also as \"6h\"; at most a week",
            meaning: "The maximum of that delay. Takes effect at the next start."),
        Key(
            name: "rpc", defaultText: "{}", unit: "",
            meaning:
                "The server for programs that control aria2 by JSON-RPC, on this machine only: enabled = true, and optionally "
                + "port (6800), directory (\"~/Downloads\"), token (otherwise made in the file rpc-token of the state "
                + "folder), origins (of web pages that may call; none by default), and kind (\"discretionary\" or "
                + "\"normal\")."),
        Key(
            name: "stay-awake", defaultText: "false", unit: "",
            meaning: "Whether the machine does not go to sleep by itself while a transfer runs on AC power."),
        Key(
            name: "window", defaultText: "\"Mon-Fri 01:00-06:00; Sat,Sun 00:00-24:00\"",
            unit: "local week; any time by default",
            meaning:
                "The time window of all transfers that are submitted without a window of their own, except tasks of sessions."
        ),
        Key(
            name: "yield", defaultText: "false", unit: "",
            meaning: "Whether transfers slow down while other programs use the network."),
    ]
}
