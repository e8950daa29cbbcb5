// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// The options of commands that perform transfers themselves. The daemon has settings of its own for all transfers.
struct LocalOptions: ParsableArguments {
    @Flag(
        name: [.customShort("n"), .long],
        help: "Only show what would happen, when, and why. No request is sent, and nothing is saved.")
    var dryRun = false

    @Flag(
        name: [.customShort("k"), .long],
        help: .init(
            "Accept any certificate for the transfers of this command. Anyone on the way to the server can then read and "
                + "change what is transferred; prefer --ca-file.", visibility: .hidden))
    var insecure = false

    @Flag(
        help: .init(
            "Follow redirects of public servers, and lists from them, to addresses of this machine and its network, such as "
                + "127.0.0.1 or 192.168.1.1.", visibility: .hidden))
    var allowLocalRedirects = false

    @Option(
        parsing: .unconditional,
        help: .init(
            "The maximum number of simultaneous transfers, in total and per server (1 to 256).", valueName: "count"))
    var parallel = 6

    @Option(
        help: .init(
            "Limit the total rate of this command, in bytes per second (64K, 1.5M).",
            valueName: "rate"))
    var limitRate: String?

    @Flag(help: "Slow down while other programs use the network.")
    var yield = false

    @Option(
        help: .init(
            "Use this proxy: http://HOST:PORT or socks5://HOST:PORT (default: http_proxy, https_proxy, all_proxy, "
                + "no_proxy).",
            valueName: "url"))
    var proxy: String?

    @Option(
        help: .init(
            "Trust the certificate authorities in this PEM file instead of those of the system.", valueName: "file",
            visibility: .hidden),
        completion: .file())
    var caFile: String?

    @Option(
        help: .init(
            "Assume conditions, for a test: power=ac,network=wifi,metered=no,battery=80.", valueName: "conditions",
            visibility: .hidden))
    var assume: String?

    @Option(
        help: .init(
            "Run a command after each transfer, with TRANSFER_PATH and others in its environment.",
            valueName: "command"))
    var onComplete: String?

    @Option(
        help: .init(
            "The folder for the queue and partial files (default: $XDG_STATE_HOME/transferd).", valueName: "dir",
            visibility: .hidden),
        completion: .directory)
    var stateDir: String?
}
