// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import LinuxClock
import ToolSupport
import TransferBusProtocol
import TransferEngine
import TransferModel
import TransferPolicy

/// The `transferctl add` command, which submits downloads, or an upload, to the daemon.
struct AddCommand: AsyncParsableCommand, TransferOptions {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Submit transfers to the daemon, which runs them when the conditions are right.",
        discussion: """
            Prints the ID of each transfer on its own line, for use with 'transferctl why', 'pause', 'cancel', and other \
            commands. D-Bus starts the daemon on first use. By default, a transfer starts immediately on any network; \
            --discretionary waits for the daemon's policy, and --policy for another one. The rate limit of all transfers \
            together and the number of simultaneous transfers are set in the daemon's configuration.

            --upload FILE sends a file to the URL. The daemon reads the file when it sends it; the upload fails if the file \
            has changed by then. If the URL ends in a slash, the file's name is appended, except with --method POST.
            """)

    @Argument(help: ArgumentHelp("The http or https URLs to download, or the one to upload to.", valueName: "url"))
    var urls: [String] = []

    @Option(help: .init("Upload this file to the URL.", valueName: "file"), completion: .file())
    var upload: String?

    @OptionGroup var submission: SubmissionOptions
    @OptionGroup(title: "Upload options") var uploading: UploadOptions
    @OptionGroup(title: "Destination options") var destination: DestinationOptions
    @OptionGroup(title: "Scheduling options") var timing: TimingOptions
    @OptionGroup(title: "Request options") var request: RequestOptions

    @Option(
        name: .shortAndLong,
        help: .init(
            "Read URLs from a file, one per line, optionally followed by tab-separated mirrors, out=NAME and "
                + "checksum=sha256:HEX. - reads standard input.", valueName: "file"), completion: .file())
    var input: String?

    @Option(
        name: .customLong("set"),
        help: .init(
            "Download the files of a list on this machine, such as SHA256SUMS, from the folders of the URLs.",
            valueName: "list"),
        completion: .file())
    var fileSet: String?

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var testOptions: TestOptions

    func run() async throws {
        let settings = try submission.settings(self)
        let alarm = try AdapterFactory.alarm()
        let items = try items(now: alarm.now().wall)
        try checkDeadlines(of: items, now: alarm.now(), limitRate: submission.limitRate)
        let requests = items.map { item in
            TransferRequest(
                settings.applied(to: item.specification),
                upload: item.specification.upload.map {
                    TransferRequest.Upload(
                        path: $0.path, method: $0.method, contentType: $0.contentType, resumption: $0.resumption)
                })
        }
        try await DaemonConnection.with(bus: daemon.bus) { try await submission.submit(requests, to: $0) }
    }

    /// Returns the transfers of the command line.
    ///
    /// - Throws: `UsageError` that names the option, the error and its remedy.
    func items(now: WallTime) throws -> [GetPlan.Item] {
        guard let upload else {
            guard uploading.isEmpty else {
                throw UsageError("--method, --content-type, and --no-resume require --upload; leave them out")
            }
            guard destination.output != "-" else {
                throw UsageError("the daemon cannot write to standard output (--output -); use 'transferctl get'")
            }
            var destination = destination
            let targets: [InputList.Item]
            if let fileSet {
                guard input == nil, destination.output == nil, destination.checksum == nil else {
                    throw UsageError(
                        "--set excludes --input, --output, and --checksum; the list names the files and their checksums"
                    )
                }
                targets = try SetSource.localFiles(fileSet, urls: urls + destination.mirror)
                destination.mirror = []
            } else {
                targets = try GetPlan.targets(urls, input: input, destination)
            }
            let builder = try SpecificationBuilder(command: self, destination: destination, now: now)
            return try GetPlan.withoutDuplicates(try targets.map { try builder.item(for: $0) })
        }
        guard urls.count == 1, input == nil else { throw UsageError("--upload needs exactly one URL, and no --input") }
        guard destination.isEmpty else {
            throw UsageError("the options for destinations apply to downloads only; leave them out with --upload")
        }
        let builder = try SpecificationBuilder(command: self, destination: nil, now: now)
        return [try uploading.item(uploading: upload, to: urls[0], of: self, by: builder)]
    }
}
