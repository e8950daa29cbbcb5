// SPDX-License-Identifier: Apache-2.0
import ManualPages
import TransferModel

extension ManualPage {
    /// Returns the page transferd(8).
    static func transferd() throws -> ManualPage {
        try CommandDescription.root(TransferdCommand.self).page(
            number: 8, version: DaemonRelease.current.version.number,
            sections: [
                ManualSection(
                    "SIGNALS",
                    [
                        .entry(
                            "SIGTERM, SIGINT", "Saves the state of running transfers and ends. Their bytes are kept."),
                        .entry("SIGHUP", "Reads the configuration again."),
                    ]),
                ManualSection(
                    "EXIT STATUS",
                    [
                        .entry("0", "Ended by SIGTERM or SIGINT."),
                        .entry("1", "The queue could not be read or saved."),
                        .entry("2", "The usage or the configuration is wrong, or another daemon runs."),
                        .entry("3", "The bus cannot be reached, or the connection to the bus was lost."),
                    ]),
                ManualSection(
                    "ENVIRONMENT",
                    [
                        .entry("DBUS_SESSION_BUS_ADDRESS", "The bus, unless --bus is used."),
                        .entry(
                            "http_proxy, https_proxy, all_proxy, no_proxy",
                            "The proxy for requests, and the hosts that need no proxy."),
                        .entry(
                            "XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME",
                            "The folders below which files are kept. The defaults are ~/.config, ~/.local/state, and ~/.cache."
                        ),
                    ]),
                ManualSection(
                    "FILES",
                    [
                        .entry("$XDG_CONFIG_HOME/transferd/config.toml", "The configuration: see transferd.toml(5)."),
                        .entry(
                            "$XDG_STATE_HOME/transferd/",
                            "The queue and partial files. Only the user can read the folder."),
                        .entry("$XDG_CACHE_HOME/transferd/", "Files without a destination folder."),
                    ]),
                ManualSection(
                    "EXAMPLES",
                    [
                        .example("transferctl service install", "Let the bus start the daemon on first use."),
                        .example(
                            "transferd --config test.toml --state-dir /tmp/transferd",
                            "Run a daemon in a terminal, with a configuration and a queue of its own."),
                        .example("journalctl --user -u transferd", "Show the daemon's log."),
                    ]),
                ManualSection("SEE ALSO", [.paragraph("transferctl(1), transferd.toml(5), busctl(1), journalctl(1)")]),
            ])
    }
}
