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
        abstract: "Hand downloads to the daemon, which fetches them when the conditions are right.",
        discussion: """
            Prints a number a line, by which 'transferctl why', 'pause', 'cancel' … know the transfer. The bus starts the \
            daemon when it is needed. By default a transfer starts at once on any network; --discretionary waits for the \
            daemon's policy. Settings of the whole daemon (its policy, its rate limit, how many run at once) stand in its \
            configuration.
            """)

    @Argument(help: ArgumentHelp("What to fetch: http and https URLs.", valueName: "url"))
    var urls: [String] = []

    @OptionGroup var handOver: HandOverOptions
    @OptionGroup(title: "Where it goes") var destination: DestinationOptions
    @OptionGroup(title: "When it runs") var timing: TimingOptions
    @OptionGroup(title: "How it asks the server") var request: RequestOptions

    @Option(
        help: .init(
            "Read URLs from a file, one a line, optionally followed by tab-separated out=NAME and "
                + "checksum=sha256:HEX; - reads standard input.", valueName: "file"))
    var input: String?

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var rig: RigOptions

    func run() async throws {
        try handOver.check(self)
        let builder = try SpecificationBuilder(
            command: self, destination: destination, now: try Parts.alarm().now().wall)
        let items = try GetPlan.targets(urls, input: input, destination).map { try builder.item(for: $0) }
        try GetPlan.refuseRepetitions(items)
        let requests = items.map { TransferRequest($0.specification) }
        try await DaemonConnection.with(bus: daemon.bus) { try await handOver.hand(requests, to: $0) }
    }
}

/// The `transferctl add-upload` command, which submits an upload to the daemon.
struct AddUploadCommand: AsyncParsableCommand, TransferOptions {
    static let configuration = CommandConfiguration(
        commandName: "add-upload",
        abstract: "Hand an upload to the daemon, which sends it when the conditions are right.",
        discussion: """
            Prints its number. The file is read when it is sent: one that changes until then is an error. A URL that ends in \
            a slash gets the file's name, except with --method POST.
            """)

    @OptionGroup var upload: UploadArguments
    @OptionGroup var handOver: HandOverOptions
    @OptionGroup(title: "When it runs") var timing: TimingOptions
    @OptionGroup(title: "How it asks the server") var request: RequestOptions
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var rig: RigOptions

    func run() async throws {
        try handOver.check(self)
        try upload.check(self)
        let source = try upload.source()
        let builder = try SpecificationBuilder(command: self, destination: nil, now: try Parts.alarm().now().wall)
        let item = try builder.item(uploading: source, to: upload.target(for: source))
        let request = TransferRequest(
            item.specification,
            upload: TransferRequest.Upload(
                path: source.path, method: source.method, contentType: source.contentType,
                resumption: source.resumption))
        try await DaemonConnection.with(bus: daemon.bus) { try await handOver.hand([request], to: $0) }
    }
}
