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

            The file $XDG_CONFIG_HOME/transferd/get.toml sets default options of this command. Its keys are the names of \
            options, such as connections = 4. The manual and --help-hidden list rare options.
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
            "Read URLs from a file, one per line, optionally followed by tab-separated mirrors, out=, dir=, "
                + "checksum=, header=, referer= and user-agent=. - reads standard input.",
            valueName: "file"), completion: .file())
    var input: String?

    @Option(
        name: .customLong("set"),
        help: .init(
            "Download several files that appear together or not at all: a Metalink 4 document or a list such as SHA256SUMS "
                + "(a URL, or a file and the URLs of folders), or hf:ORG/REPO[@REVISION][:GLOB] from Hugging Face.",
            valueName: "list"), completion: .file())
    var fileSet: String?

    @Flag(help: "Continue everything that was interrupted.")
    var resume = false

    @Flag(help: .init("Ignore the file with default options.", visibility: .hidden))
    var noConfig = false

    @OptionGroup var testOptions: TestOptions

    func run() async throws {
        guard !resume else { return try await resumeAll() }
        guard let fileSet else { return try await performPlan() }
        try await SetRun(self, fileSet).run()
    }

    func plan(now: WallTime) throws -> GetPlan { try GetPlan(command: self, now: now) }

    private func resumeAll() async throws {
        guard urls.isEmpty, input == nil, fileSet == nil, destination.isEmpty else {
            throw UsageError("--resume continues what earlier commands began; leave out URLs, lists, and destinations")
        }
        let directory = try StateFolder.path(option: local.stateDir) + "/get"
        let items = try await InterruptedTransfers.find(in: directory)
        guard !items.isEmpty else { return Console.error("No interrupted downloads.") }
        try await performPlan { _ in
            var plan = try GetPlan(sharedBy: self)
            plan.items = items
            return plan
        }
    }
}

/// The options for destinations.
struct DestinationOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: .init(
            "Write to this file (only with a single URL). For get, - writes to standard output.",
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
                + "continued, because their version is unknown.", visibility: .hidden))
    var `continue` = false

    @Flag(
        help: .init(
            "Replace an existing file, but none whose name the server suggests."))
    var overwrite = false

    @Flag(help: "Fail if a file of that name exists.")
    var noClobber = false

    @Flag(
        help: .init(
            "If a file of that name exists, name the new file 'name (1).ext' (the default).", visibility: .hidden))
    var rename = false

    @Flag(help: .init("Set the file's modification time from the server's Last-Modified.", visibility: .hidden))
    var remoteTime = false

    @Flag(
        help: .init(
            "Accept a web page even if the file is known to be of another type, version or size. By default, such a page is "
                + "taken for the login page of the network.", visibility: .hidden))
    var allowHTML = false

    @Option(
        help: .init(
            "Another URL of the same file, tried if the earlier ones fail. May be repeated.", valueName: "url"))
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
        let hasFlag = remoteName || `continue` || overwrite || noClobber || rename || remoteTime || allowHTML
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
        help: .init("The value of the Referer field: the page with the link.", valueName: "url", visibility: .hidden))
    var referer: String?

    @Option(
        name: [.customShort("b"), .long],
        help: .init(
            "Send the cookies of this file in Netscape's format that are meant for the URL. They are not sent to other "
                + "servers, such as a redirect's target.", valueName: "file", visibility: .hidden), completion: .file())
    var cookies: String?

    @Option(
        name: [.customShort("u"), .long],
        help: .init(
            "The user name and password, as NAME:PASSWORD. With NAME alone, the terminal asks for the password.",
            valueName: "login"))
    var user: String?

    @Flag(help: .init("Read the user name and password from $NETRC or ~/.netrc.", visibility: .hidden))
    var netrc = false

    @Option(
        help: .init(
            "Limit the rate of each transfer, in bytes per second (64K, 1.5M).", valueName: "rate",
            visibility: .hidden))
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
            valueName: "count", visibility: .hidden))
    var retries: Int?

    @Option(
        help: .init(
            "End an attempt after this time without data: 5s, 2m, or plain seconds (default 60s).", valueName: "time",
            visibility: .hidden))
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

    @Flag(help: .init("Do not write the paths of finished files to standard output.", visibility: .private))
    var noPaths = false
}
