// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import TransferModel

/// The `transferctl get` command: downloads in this process, without a daemon.
struct GetCommand: TransferCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download files when the conditions are right, and show why they wait.",
        discussion: """
            By default, a transfer starts immediately on any network. --discretionary waits for the default policy: AC \
            power and an unmetered network. After an interruption, run the same command again to continue. After the \
            download is complete, the same command prints "already complete" and downloads nothing unless the file on the \
            server has changed.

            Wait reasons are shown for the first unfinished transfers only: --parallel plus 30.

            With --json, each line is a JSON object with the keys event (waiting, started, progress, paused, retrying, \
            finished, failed, cancelled), id, url (without its query), time (RFC 3339), reasons (a list of code, sentence, \
            since, source, confidence, and the data of the reason; the code is interrupted or ended if the command \
            itself stopped the transfer), sentence, waited (a list of code, seconds: the waiting time for each reason), \
            expectedChance (the time at which past weeks make good conditions likely, or null), until, bytes, total (null \
            if unknown), rate (bytes per second), attempt, status, path, alreadyComplete, error (code, message).
            """)

    @Argument(help: ArgumentHelp("The http or https URLs to download.", valueName: "url"))
    var urls: [String] = []

    @OptionGroup(title: "Destination options") var destination: DestinationOptions
    @OptionGroup(title: "Scheduling options") var timing: TimingOptions
    @OptionGroup(title: "Request options") var request: RequestOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    @Option(
        help: .init(
            "Read URLs from a file, one per line, optionally followed by tab-separated out=NAME and "
                + "checksum=sha256:HEX. - reads standard input.", valueName: "file"))
    var input: String?

    @Option(
        help: .init(
            "Run a command after each transfer, one at a time, with TRANSFER_ID, TRANSFER_URL, TRANSFER_PATH, "
                + "TRANSFER_STATUS and TRANSFER_RESULT (finished or failed) in its environment.", valueName: "command"))
    var onComplete: String?

    @Option(
        help: .init(
            "The folder for the queue and partial files (default: $XDG_STATE_HOME/transferd).", valueName: "dir"))
    var stateDir: String?

    @OptionGroup var testOptions: TestOptions

    func plan(now: WallTime) throws -> GetPlan { try GetPlan(command: self, now: now) }
}

/// The options for destinations.
struct DestinationOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: .init("Write to this file (only with a single URL).", valueName: "file"))
    var output: String?

    @Option(name: .shortAndLong, help: .init("Write into this folder (default: the current folder).", valueName: "dir"))
    var directory: String?

    @Flag(
        help: .init(
            "Replace an existing file. Applies only to the name of --output or of the URL. If the server suggests another "
                + "name that exists, the new file is renamed."))
    var overwrite = false

    @Flag(help: "Fail if a file of that name exists.")
    var noClobber = false

    @Flag(help: "If a file of that name exists, name the new file 'name (1).ext' (the default).")
    var rename = false

    @Flag(help: "Set the file's modification time from the server's Last-Modified.")
    var remoteTime = false

    @Option(
        help: .init(
            "The expected checksum of the file: sha256:HEX or sha512:HEX (only with a single URL).",
            valueName: "checksum"))
    var checksum: String?
}

/// The options for the time and conditions of a transfer.
struct TimingOptions: ParsableArguments {
    @Flag(help: "Wait for the default policy: AC power and an unmetered network.")
    var discretionary = false

    @Option(
        help: .init(
            "Wait for another policy: NAME[:key=value]… Implies --discretionary. 'transferctl policies' lists the policies.",
            valueName: "policy"))
    var policy: String?

    @Option(
        help: .init(
            "Additional conditions, separated by commas: ac, battery>N, unmetered, wifi, ethernet, cellular, bluetooth, "
                + "usb-tether. Kinds of network are combined with 'or', all others with 'and'.",
            valueName: "conditions"))
    var when: String?

    @Option(help: .init("The earliest start: RFC 3339, HH:MM, or +2h.", valueName: "time"))
    var notBefore: String?

    @Option(
        help: .init(
            "The deadline: RFC 3339, HH:MM, or +2h. The policy relaxes as the deadline approaches.", valueName: "time"))
    var by: String?

    @Option(
        help: .init(
            "Run only in this time window of the local week: \"Mon-Fri 01:00-06:00\". Separate several windows with ';'.",
            valueName: "window"
        ))
    var window: String?

    @Option(
        help: .init(
            "The maximum number of simultaneous transfers, in total and per server (1 to 256).", valueName: "count"))
    var parallel = 6

    @Option(
        help: .init(
            "The priority: low, normal, high, or 0 to 1000. Higher priorities start first.", valueName: "priority"))
    var priority: String?

    @Option(
        help: .init(
            "The expected size in bytes (500, 64K, 1.5M, 2G), if the server does not report it.", valueName: "bytes"))
    var expectBytes: String?

    @Option(help: .init("With the value allow: use metered networks even if the policy does not.", valueName: "allow"))
    var metered: MeteredChoice?

    @Option(
        help: .init(
            "Assume conditions, for a test: power=ac,network=wifi,metered=no,battery=80.", valueName: "conditions"))
    var assume: String?

    /// The values of `--metered`.
    enum MeteredChoice: String, ExpressibleByArgument, CaseIterable {
        case allow
    }
}

/// The options for requests to the server.
struct RequestOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        help: .init("Send the header field \"Name: value\". May be repeated.", valueName: "field"))
    var header: [String] = []

    @Option(help: .init("The value of the User-Agent field.", valueName: "text"))
    var userAgent: String?

    @Option(
        help: .init(
            "Use this proxy: http://HOST:PORT or socks5://HOST:PORT (default: http_proxy, https_proxy, all_proxy, "
                + "no_proxy).",
            valueName: "url"))
    var proxy: String?

    @Option(
        help: .init(
            "Trust the certificate authorities in this PEM file instead of those of the system.", valueName: "file"))
    var caFile: String?

    @Flag(help: "Read the user name and password from $NETRC or ~/.netrc.")
    var netrc = false

    @Option(
        help: .init(
            "Limit the total rate of this command, in bytes per second (64K, 1.5M).",
            valueName: "rate"))
    var limitRate: String?

    @Option(
        help: .init("Limit the rate of each transfer, in bytes per second (64K, 1.5M).", valueName: "rate"))
    var limitRateEach: String?

    @Flag(help: "Slow down while other programs use the network.")
    var yield = false

    @Option(
        help: .init(
            "Download a large file over up to this many connections if the server supports it (1 to 16, default 1).",
            valueName: "count"))
    var connections: Int?

    @Option(
        help: .init(
            "How often a failed attempt is repeated without progress (default: 4; unlimited for discretionary "
                + "transfers).",
            valueName: "count"))
    var retries: Int?

    @Option(
        help: .init("End an attempt after this many seconds without data (default 60).", valueName: "seconds"))
    var timeout: Int?
}

/// The options for the output.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write one JSON object per line.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Also print attempts, changes of conditions, and the random seed.")
    var verbose = false
}
