// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import LinuxKernel
import PolicyLab
import ToolSupport
import TransferBusClient
import TransferEngine
import TransferModel

/// The `transferctl policy try` command, which replays the recorded past under a configuration's policy.
struct PolicyTry: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Replay what the daemon has recorded under a configuration's policy, beside the one in force.",
        discussion: """
            Writes the recorded past for the program 'transferlab', and has it replay that past under the file's policy, the \
            one in force, 'immediate', 'unmetered', and the best that was possible ('oracle'): its table says how much would \
            have been late, and at what cost. The same by hand: transferctl history --trace, transferctl history \
            --workload, transferlab run.

            'transferlab' is looked for beside this program, then along PATH. Status 0 with a table, 2 when the file is \
            wrong or nothing fit was recorded, 3 without a daemon.
            """)

    @Argument(help: ArgumentHelp("The configuration to try.", valueName: "file"), completion: .file())
    var file: String

    @Option(help: .init("From so long ago on: 90m, 12h, 7d.", valueName: "time"))
    var since = "30d"

    @Option(help: .init("Write a page for a browser, too.", valueName: "file"), completion: .file())
    var html: String?

    @Flag(help: "Write JSON, as 'transferlab run --json' does.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let wanted = try DaemonConfiguration(path: PathName.absolute(file), isNamed: true).policy
        guard let lab = Self.lab else {
            throw UsageError(
                "there is no program 'transferlab' beside this one or along PATH; 'swift build --product transferlab' makes it"
            )
        }
        let current = try await client.status().policy ?? "default"
        let past = try await RecordedPast.ask(client, since: since)
        let (trace, workload) = (try past.neededTrace(since: since), try past.neededWorkload(since: since))

        let folder = FileManager.default.temporaryDirectory.appending(path: "transferctl-\(UUID().uuidString)")
        // The user's transfers are private, so only the owner may read the folder.
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let days = folder.appending(path: RecordedPast.device + ".csv")
        let jobs = folder.appending(path: "transfers.csv")
        try Data(trace.csv.utf8).write(to: days)
        try Data(workload.csv.utf8).write(to: jobs)

        var words = ["run", days.path, "--workload", jobs.path, "--daemon"]
        var named: Set<String> = []
        for policy in [wanted, current, "immediate", "unmetered", "oracle"] where named.insert(policy).inserted {
            words += ["--policy", policy]
        }
        if let html { words += ["--html", try PathName.absolute(html)] }
        if json { words += ["--json", "-"] }
        if !json { Console.error("'\(file)' decides by '\(wanted)'; in force is '\(current)'") }
        let program = ChildProgram(
            lab.path, [lab.path] + words, environment: ProcessInfo.processInfo.environment)
        switch ChildProgram.collect(try program.start()) {
        case .status(0)?: break
        case .status(let number)?: throw ExitCode(number)
        case .signal?, nil: throw ExitCode.failure
        }
    }

    /// The URL of the program `transferlab`, or `nil` if it is not found.
    private static var lab: URL? {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let beside = own.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return ([beside].compactMap(\.self) + path.split(separator: ":").map(String.init))
            .map { URL(fileURLWithPath: $0).appending(path: "transferlab") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
