// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import TransferModel

/// The `transferctl get` command: downloads in this process, without a daemon.
struct GetCommand: TransferCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Fetch files when the conditions are right; says why it waits.",
        discussion: """
            By default a transfer starts at once on any network. --discretionary waits for the default policy: plugged in \
            and on an unmetered network. Run again after an interruption, the same command continues; after its end it \
            says "already complete" and fetches nothing unless the server's file has changed.

            Of many transfers only the first that are not over are told why they wait: --parallel and 30 more.

            With --json one JSON object a line is written. Keys: event (waiting, started, progress, paused, retrying, \
            finished, failed, cancelled), id, url (without its query), time (RFC 3339), reasons (a list of code, sentence, \
            since, source, sureness and the reason's own data; \
            interrupted or ended where the command itself stopped it), sentence, waited (a list of code, seconds: how long it \
            has waited for each reason), expectedChance (when past weeks make good conditions likely, or null), until, bytes, total (null when unknown), rate \
            (bytes a second), attempt, status, path, alreadyComplete, error (code, message).
            """)

    @Argument(help: ArgumentHelp("What to fetch: http and https URLs.", valueName: "url"))
    var urls: [String] = []

    @OptionGroup(title: "Where it goes") var destination: DestinationOptions
    @OptionGroup(title: "When it runs") var timing: TimingOptions
    @OptionGroup(title: "How it asks the server") var request: RequestOptions
    @OptionGroup(title: "What it tells") var output: OutputOptions

    @Option(
        help: .init(
            "Read URLs from a file, one a line, optionally followed by tab-separated out=NAME and "
                + "checksum=sha256:HEX; - reads standard input.", valueName: "file"))
    var input: String?

    @Option(
        help: .init(
            "Run a command after each transfer, one at a time, with TRANSFER_ID, TRANSFER_URL, TRANSFER_PATH, "
                + "TRANSFER_STATUS and TRANSFER_RESULT (finished or failed) in its environment.", valueName: "command"))
    var onComplete: String?

    @Option(
        help: .init(
            "Where the queue and partial files are kept (default: $XDG_STATE_HOME/transferd).", valueName: "dir"))
    var stateDir: String?

    @OptionGroup var rig: RigOptions

    func plan(now: WallTime) throws -> GetPlan { try GetPlan(command: self, now: now) }
}

/// The options for destinations.
struct DestinationOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: .init("Write to this file (one URL only).", valueName: "file"))
    var output: String?

    @Option(name: .shortAndLong, help: .init("Write into this folder (default: the current one).", valueName: "dir"))
    var directory: String?

    @Flag(
        help: .init(
            "Replace a file that is there already. Only by the name of --output or of the URL: a file that the server "
                + "names otherwise is renamed."))
    var overwrite = false

    @Flag(help: "Fail when a file of that name is there already.")
    var noClobber = false

    @Flag(help: "Call it 'name (1).ext' when a file of that name is there already (the default).")
    var rename = false

    @Flag(help: "Set the file's modification time from the server's Last-Modified.")
    var remoteTime = false

    @Option(help: .init("What the file must hash to: sha256:HEX or sha512:HEX (one URL only).", valueName: "checksum"))
    var checksum: String?
}

/// The options for the time and conditions of a transfer.
struct TimingOptions: ParsableArguments {
    @Flag(help: "Wait for the default policy: plugged in and on an unmetered network.")
    var discretionary = false

    @Option(
        help: .init(
            "Wait for another policy, NAME[:key=value]…; implies --discretionary. 'transferctl policies' lists them.",
            valueName: "policy"))
    var policy: String?

    @Option(
        help: .init(
            "Only under these conditions, on top of everything else: ac, battery>N, unmetered, wifi, ethernet, "
                + "cellular, bluetooth, usb-tether, separated by commas. Kinds of network are joined by 'or', the rest by 'and'.",
            valueName: "conditions"))
    var when: String?

    @Option(help: .init("Not before this time: RFC 3339, HH:MM or +2h.", valueName: "time"))
    var notBefore: String?

    @Option(help: .init("To be done by this time; a policy relaxes as it comes near.", valueName: "time"))
    var by: String?

    @Option(
        help: .init(
            "Only within these hours of the local week: \"Mon-Fri 01:00-06:00\"; several with ';'.", valueName: "window"
        ))
    var window: String?

    @Option(
        help: .init("Run this many transfers at once, of one server too (1 to 256).", valueName: "count"))
    var parallel = 6

    @Option(help: .init("0…1000 or low, normal, high: higher first.", valueName: "priority"))
    var priority: String?

    @Option(
        help: .init(
            "How many bytes are expected (500, 64K, 1.5M, 2G), where the server will not tell.", valueName: "bytes"))
    var expectBytes: String?

    @Option(help: .init("allow: may run on a metered network even where the policy would not.", valueName: "allow"))
    var metered: MeteredChoice?

    @Option(
        help: .init(
            "Take facts for granted, for a test: power=ac,network=wifi,metered=no,battery=80.", valueName: "facts"))
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
        help: .init("Send a header field \"Name: value\"; may be repeated.", valueName: "field"))
    var header: [String] = []

    @Option(help: .init("Send this as User-Agent.", valueName: "text"))
    var userAgent: String?

    @Option(
        help: .init(
            "Go through this proxy: http://host:port (default: http_proxy, https_proxy, all_proxy, no_proxy).",
            valueName: "url"))
    var proxy: String?

    @Option(
        help: .init("Trust the certificate authorities of this PEM file instead of the system's.", valueName: "file"))
    var caFile: String?

    @Flag(help: "Take user and password from ~/.netrc.")
    var netrc = false

    @Option(
        help: .init(
            "Fetch no faster than this many bytes a second, all transfers of this command together (64K, 1.5M).",
            valueName: "rate"))
    var limitRate: String?

    @Option(
        help: .init("Fetch each transfer no faster than this many bytes a second (64K, 1.5M).", valueName: "rate"))
    var limitRateEach: String?

    @Flag(help: "Step back while other programs use the network, and go on when they are done.")
    var yield = false

    @Option(
        help: .init(
            "Fetch a large file over up to this many connections, where its server allows it (1 to 16, default 1).",
            valueName: "count"))
    var connections: Int?

    @Option(
        help: .init(
            "Try this often again without progress (default 4; discretionary work: without end).", valueName: "count"))
    var retries: Int?

    @Option(
        help: .init("Give up an attempt after this many seconds without a byte (default 60).", valueName: "seconds"))
    var timeout: Int?
}

/// The options for the output.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write one JSON object a line.")
    var json = false

    @Flag(name: .shortAndLong, help: "Tell of errors only.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Tell of attempts, conditions and the seed too.")
    var verbose = false
}
