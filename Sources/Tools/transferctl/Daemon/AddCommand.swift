// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import LinuxClock
import ToolSupport
import TransferBusProtocol
import TransferEngine
import TransferModel
import TransferPolicy

/// The `transferctl add` command, which submits downloads to the daemon.
struct AddCommand: AsyncParsableCommand, TransferOptions {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Submit downloads to the daemon, which runs them when the conditions are right.",
        discussion: """
            Prints the ID of each transfer on its own line, for use with 'transferctl why', 'pause', 'cancel', and other \
            commands. D-Bus starts the daemon on first use. By default, a transfer starts immediately on any network; \
            --discretionary waits for the daemon's policy, and --policy for another one. The rate limit of all transfers \
            together and the number of simultaneous transfers are set in the daemon's configuration.
            """)

    @Argument(help: ArgumentHelp("The http or https URLs to download.", valueName: "url"))
    var urls: [String] = []

    @OptionGroup var submission: SubmissionOptions
    @OptionGroup(title: "Destination options") var destination: DestinationOptions
    @OptionGroup(title: "Scheduling options") var timing: TimingOptions
    @OptionGroup(title: "Request options") var request: RequestOptions

    @Option(
        name: .shortAndLong,
        help: .init(
            "Read URLs from a file, one per line, optionally followed by tab-separated out=NAME and "
                + "checksum=sha256:HEX. - reads standard input.", valueName: "file"), completion: .file())
    var input: String?

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var testOptions: TestOptions

    func run() async throws {
        let settings = try submission.settings(self)
        guard destination.output != "-" else {
            throw UsageError("the daemon cannot write to standard output (--output -); use 'transferctl get'")
        }
        let alarm = try AdapterFactory.alarm()
        let builder = try SpecificationBuilder(command: self, destination: destination, now: alarm.now().wall)
        let items = try GetPlan.targets(urls, input: input, destination).map { try builder.item(for: $0) }
        try GetPlan.rejectDuplicates(items)
        try checkDeadlines(of: items, now: alarm.now(), limitRate: submission.limitRate)
        let requests = items.map { TransferRequest(settings.applied(to: $0.specification)) }
        try await DaemonConnection.with(bus: daemon.bus) { try await submission.submit(requests, to: $0) }
    }
}

/// The `transferctl add-upload` command, which submits an upload to the daemon.
struct AddUploadCommand: AsyncParsableCommand, TransferOptions {
    static let configuration = CommandConfiguration(
        commandName: "add-upload",
        abstract: "Submit an upload to the daemon, which runs it when the conditions are right.",
        discussion: """
            Prints the ID of the transfer. The daemon reads the file when it sends it; the upload fails if the file has \
            changed by then. If the URL ends in a slash, the file's name is appended, except with --method POST.
            """)

    @OptionGroup var upload: UploadArguments
    @OptionGroup var submission: SubmissionOptions
    @OptionGroup(title: "Scheduling options") var timing: TimingOptions
    @OptionGroup(title: "Request options") var request: RequestOptions
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var testOptions: TestOptions

    func run() async throws {
        let settings = try submission.settings(self)
        try upload.check(self)
        let source = try upload.source()
        let alarm = try AdapterFactory.alarm()
        let builder = try SpecificationBuilder(command: self, destination: nil, now: alarm.now().wall)
        let items = [try builder.item(uploading: source, to: upload.target(for: source))]
        try checkDeadlines(of: items, now: alarm.now(), limitRate: submission.limitRate)
        let request = TransferRequest(
            settings.applied(to: items[0].specification),
            upload: TransferRequest.Upload(
                path: source.path, method: source.method, contentType: source.contentType,
                resumption: source.resumption))
        try await DaemonConnection.with(bus: daemon.bus) { try await submission.submit([request], to: $0) }
    }
}
