// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import TransferModel

/// The `transferctl put` command: an upload in this process, without a daemon.
struct PutCommand: TransferCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Upload a file when the conditions are right; says why it waits.",
        discussion: """
            A URL that ends in a slash gets the file's name, except with --method POST. By default an upload starts at \
            once on any network. An interrupted one goes on where the server offers that (tus 1.0 with POST, or the \
            IETF's resumable uploads), also when the same command is run again; elsewhere it starts over. A file that \
            changes meanwhile is an error. The server's answer, up to 1 MiB of it, goes to standard output.

            With --json one JSON object a line is written, with the keys of 'transferctl get' and, when it is over, \
            response (contentType, cut, and body as text or base64).
            """)

    @OptionGroup var upload: UploadArguments

    @Option(
        name: .customShort("o"),
        help: .init("Write the server's answer to this file, in place of standard output.", valueName: "file"))
    var answerFile: String?

    @OptionGroup(title: "When it runs") var timing: TimingOptions
    @OptionGroup(title: "How it asks the server") var request: RequestOptions
    @OptionGroup(title: "What it tells") var output: OutputOptions

    @Option(
        help: .init(
            "Run a command when it is over, with TRANSFER_ID, TRANSFER_URL, TRANSFER_PATH (the file's), TRANSFER_STATUS "
                + "and TRANSFER_RESULT (finished or failed) in its environment.", valueName: "command"))
    var onComplete: String?

    @Option(help: .init("Where the queue is kept (default: $XDG_STATE_HOME/transferd).", valueName: "dir"))
    var stateDir: String?

    @OptionGroup var rig: RigOptions

    func plan(now: WallTime) throws -> GetPlan { try GetPlan(command: self, now: now) }
}
