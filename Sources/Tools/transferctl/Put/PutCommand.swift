// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import TransferModel

/// The `transferctl put` command: an upload in this process, without a daemon.
struct PutCommand: TransferCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Upload a file when the conditions are right, and show why it waits.",
        discussion: """
            If the URL ends in a slash, the file's name is appended, except with --method POST. By default, an upload \
            starts immediately on any network. An interrupted upload resumes if the server supports it (tus 1.0 with POST, \
            or the IETF's resumable uploads), also when you run the same command again; otherwise it starts over. The \
            upload fails if the file changes before it is sent. The server's response, up to 1 MiB, goes to standard output.
            """)

    @Argument(help: ArgumentHelp("The file to upload.", valueName: "file"), completion: .file())
    var file: String

    @Argument(help: ArgumentHelp("The http or https URL to upload to.", valueName: "url"))
    var url: String

    @OptionGroup var upload: UploadOptions

    @Option(
        name: .customShort("o"),
        help: .init("Write the server's response to this file instead of standard output.", valueName: "file"),
        completion: .file())
    var responseFile: String?

    @OptionGroup(title: "Scheduling options") var timing: TimingOptions
    @OptionGroup(title: "Request options") var request: RequestOptions
    @OptionGroup(title: "Options of this command") var local: LocalOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    @OptionGroup var testOptions: TestOptions

    func plan(now: WallTime) throws -> GetPlan { try GetPlan(command: self, now: now) }
}
