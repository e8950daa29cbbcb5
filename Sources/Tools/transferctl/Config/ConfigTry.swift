// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import LinuxKernel
import PolicyLab
import ToolSupport
import TransferBusClient
import TransferEngine
import TransferModel
import transferlab

/// The `transferctl config try` command, which replays recorded history under a configuration's policy.
struct ConfigTry: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract:
            "Replay recorded history under the policy of a configuration file, and compare it with the current policy.",
        discussion: """
            Runs 'transferlab' on the recorded history under the policy of the file, the current policy, 'immediate', \
            'unmetered', and the offline optimum ('oracle'). The table shows how much would have been late, and at what \
            cost. To do the same by hand, use transferctl history --trace, transferctl history --workload, and transferlab \
            run.

            Exit status: 0 success, 2 the file is invalid or no suitable history is recorded, 3 the daemon cannot be \
            reached.
            """)

    @Argument(help: ArgumentHelp("The configuration to try.", valueName: "file"), completion: .file())
    var file: String

    @Option(help: .init("The length of the history to replay: 90m, 12h, 7d.", valueName: "duration"))
    var since = "30d"

    @Option(help: .init("Also write an HTML page.", valueName: "file"), completion: .file())
    var html: String?

    @Flag(help: "Write JSON, as 'transferlab run --json' does.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let candidate = try DaemonConfiguration(path: PathName.absolute(file), isNamed: true).policy
        let current = try await client.status().policy ?? "default"
        let history = try await RecordedHistory.fetch(client, since: since)
        let (trace, workload) = (try history.requiredTrace(since: since), try history.requiredWorkload(since: since))

        let folder = FileManager.default.temporaryDirectory.appending(path: "transferctl-\(UUID().uuidString)")
        // The user's transfers are private, so only the owner may read the folder.
        try PrivateFolder.make(folder.path, called: "the temporary folder", remedy: "set TMPDIR to another one")
        defer { try? FileManager.default.removeItem(at: folder) }
        let traceFile = folder.appending(path: RecordedHistory.device + ".csv")
        let workloadFile = folder.appending(path: "transfers.csv")
        try Data(trace.csv.utf8).write(to: traceFile)
        try Data(workload.csv.utf8).write(to: workloadFile)

        var arguments = ["run", traceFile.path, "--workload", workloadFile.path, "--daemon"]
        var named: Set<String> = []
        for policy in [candidate, current, "immediate", "unmetered", "oracle"] where named.insert(policy).inserted {
            arguments += ["--policy", policy]
        }
        if let html { arguments += ["--html", try PathName.absolute(html)] }
        if json { arguments += ["--json", "-"] }
        if !json { Console.error("policy in '\(file)': '\(candidate)'; current policy: '\(current)'") }
        let status = await LabProgram.run(arguments)
        guard status == 0 else { throw ExitCode(status) }
    }
}
