// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import ToolSupport
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

            The file $XDG_CONFIG_HOME/transferd/get.toml sets default options of this command. Its keys are the names of \
            options, such as connections = 4.

            With --json, each line is a JSON object with the keys event (waiting, started, progress, restarted, paused, \
            retrying, deadlineAtRisk, deadlineMissed, finished, failed, cancelled), deadline, id, url (without its \
            query), time (RFC 3339), reasons (a list of code, sentence, \
            since, source, confidence, and the data of the reason; the code is interrupted or ended if the command \
            itself stopped the transfer), sentence, waited (a list of code, seconds: the waiting time for each reason), \
            expectedChance (the time at which past weeks make good conditions likely, or null), until, bytes, total (null \
            if unknown), rate (bytes per second), attempt, status, path, alreadyComplete, elapsed (seconds) and averageRate (bytes per second) of a transfer \
            that took a second or longer, error (code, message). A set of files ends with the event \
            setFinished, with name, path, files (their number), and bytes. After several transfers, the last line has the event \
            summary, with the counts finished, alreadyComplete, failed, cancelled, unfinished, and the received bytes.
            """)

    @Argument(help: ArgumentHelp("The http or https URLs to download.", valueName: "url"))
    var urls: [String] = []

    @OptionGroup(title: "Destination options") var destination: DestinationOptions
    @OptionGroup(title: "Scheduling options") var timing: TimingOptions
    @OptionGroup(title: "Request options") var request: RequestOptions
    @OptionGroup(title: "Options of this command") var local: LocalOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    @Option(
        name: .shortAndLong,
        help: .init(
            "Read URLs from a file, one per line, optionally followed by tab-separated mirrors, out=NAME and "
                + "checksum=sha256:HEX. - reads standard input.", valueName: "file"), completion: .file())
    var input: String?

    @Option(
        name: .customLong("set"),
        help: .init(
            "Download several files that appear together or not at all, into a new folder or --directory: a Metalink 4 "
                + "document or a list such as SHA256SUMS (a URL, or a file; for a list in a file, also give the URL of the "
                + "folder), or hf:ORG/REPO[@REVISION][:GLOB] from Hugging Face.",
            valueName: "list"), completion: .file())
    var fileSet: String?

    @Option(
        help: .init(
            "Run a command after each transfer, one at a time, with TRANSFER_ID, TRANSFER_URL, TRANSFER_PATH, "
                + "TRANSFER_STATUS and TRANSFER_RESULT (finished or failed) in its environment.", valueName: "command"))
    var onComplete: String?

    @Option(
        help: .init(
            "The folder for the queue and partial files (default: $XDG_STATE_HOME/transferd).", valueName: "dir"),
        completion: .directory)
    var stateDir: String?

    @Flag(help: "Ignore the file with default options.")
    var noConfig = false

    @OptionGroup var testOptions: TestOptions

    func run() async throws {
        guard let fileSet else { return try await performPlan() }
        try await SetRun(self, fileSet).run()
    }

    func plan(now: WallTime) throws -> GetPlan { try GetPlan(command: self, now: now) }
}

/// The options for destinations.
struct DestinationOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: .init(
            "Write to this file (only with a single URL). For get, - writes to standard output: into a pipe while the file "
                + "arrives; elsewhere, or with a checksum or --connections, the complete, verified file at the end.",
            valueName: "file"), completion: .file())
    var output: String?

    @Flag(
        name: [.customShort("O"), .long],
        help: "Name the file after the URL, even if the server suggests another name, as 'curl -O' does.")
    var remoteName = false

    @Option(
        name: .shortAndLong, help: .init("Write into this folder (default: the current folder).", valueName: "dir"),
        completion: .directory)
    var directory: String?

    @Flag(
        name: .shortAndLong,
        help: .init(
            "Continue an interrupted download of the same URL (the default). Partial files of other programs are not "
                + "continued, because their version is unknown."))
    var `continue` = false

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
            "Another URL of the same file, tried if the earlier ones fail (only with a single URL). May be repeated. Other "
                + "servers receive no login, no cookies, and only harmless header fields.", valueName: "url"))
    var mirror: [String] = []

    @Option(
        help: .init(
            "The expected checksum of the file: sha256:HEX or sha512:HEX (only with a single URL).",
            valueName: "checksum"))
    var checksum: String?

    @Option(
        help: .init(
            "Verify each file with its line of this file, such as SHA256SUMS. A file without a line is an error.",
            valueName: "file"), completion: .file())
    var checksums: String?

    /// A Boolean value that indicates whether no option is set.
    var isEmpty: Bool {
        let hasFlag = remoteName || `continue` || overwrite || noClobber || rename || remoteTime
        return !hasFlag && [output, directory, checksum, checksums].allSatisfy { $0 == nil } && mirror.isEmpty
    }
}

/// The options for requests to the server.
struct RequestOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        help: .init("Send the header field \"Name: value\". May be repeated.", valueName: "field"))
    var header: [String] = []

    @Option(
        name: [.customShort("A"), .long], help: .init("The value of the User-Agent field.", valueName: "text"))
    var userAgent: String?

    @Option(
        name: [.customShort("e"), .long],
        help: .init("The value of the Referer field: the page with the link.", valueName: "url"))
    var referer: String?

    @Option(
        name: [.customShort("b"), .long],
        help: .init(
            "Send the cookies of this file in Netscape's format that are meant for the URL. They are not sent to other "
                + "servers, such as a redirect's target.", valueName: "file"), completion: .file())
    var cookies: String?

    @Option(
        name: [.customShort("u"), .long],
        help: .init(
            "The user name and password, as NAME:PASSWORD. With NAME alone, the terminal asks for the password. They are "
                + "not sent to other servers, such as a redirect's target.", valueName: "login"))
    var user: String?

    @Flag(help: "Read the user name and password from $NETRC or ~/.netrc.")
    var netrc = false

    @Option(
        help: .init("Limit the rate of each transfer, in bytes per second (64K, 1.5M).", valueName: "rate"))
    var limitRateEach: String?

    @Option(
        parsing: .unconditional,
        help: .init(
            "Download a large file over up to this many connections if the server supports it (1 to 16, default 1).",
            valueName: "count"))
    var connections: Int?

    @Option(
        parsing: .unconditional,
        help: .init(
            "How often a failed attempt is repeated without progress (default: 4; unlimited for discretionary "
                + "transfers).",
            valueName: "count"))
    var retries: Int?

    @Option(
        help: .init(
            "End an attempt after this time without data: 5s, 2m, or plain seconds (default 60s).", valueName: "time"))
    var timeout: String?
}

/// The options for the output.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write one JSON object per line.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Also print attempts, changes of conditions, and the random seed.")
    var verbose = false

    @Flag(help: .init("Do not write the paths of finished files to standard output.", visibility: .hidden))
    var noPaths = false
}
