// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab

/// The `transferlab shard` command: runs one part of a large study.
struct ShardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shard",
        abstract: "Run one part of a study, for distribution by a batch system; 'merge' combines the parts.",
        discussion: """
            A device belongs to a part by a hash of its name, whatever the order of the traces. A part reads only the traces \
            of its own devices; the others need not exist. 'merge' gives the numbers of 'run'.

            With 'auto', the part comes from the environment: SLURM_ARRAY_TASK_ID, AWS_BATCH_JOB_ARRAY_INDEX, \
            JOB_COMPLETION_INDEX (Kubernetes), or PARALLEL_SEQ (GNU parallel). Slurm tells the number of parts, the others \
            need --of.
            """)

    @Argument(help: "The part to run, as I/N: 1/8 … 8/8; or 'auto'.")
    var part: String

    @OptionGroup var study: StudyOptions
    @OptionGroup var policy: PolicyOptions

    @Option(help: "The number of parts, for 'auto'.")
    var of: Int?

    @Option(name: .shortAndLong, help: "The output file of the part; - for standard output.")
    var output: String?

    @Option(help: "A folder for the part, as I-of-N.part. A finished part of the same study is not run again.")
    var parts: String?

    @OptionGroup var progress: ProgressOptions

    func validate() throws {
        guard output == nil || parts == nil else {
            throw ValidationError("--output and --parts cannot be combined; use one of them")
        }
    }

    func run() async throws {
        let choice = try choice(in: ProcessInfo.processInfo.environment)
        let policies = try policy.selected()
        let devices = try study.devices()
        guard let parts else {
            let part = try await study.part(choice, of: devices, policies, progress)
            return try Files.write(part.line(), to: output ?? "-")
        }
        let folder = PartFolder(parts)
        let header = try study.header(policies, workload: devices.workloadDigest, shards: choice.count)
        guard try folder.finished(choice, of: header) == nil else {
            return Console.error("transferlab: \(folder.path(choice)) is finished; nothing to do")
        }
        try folder.write(try await study.part(choice, of: devices, policies, progress), choice)
    }

    func choice(in environment: [String: String]) throws -> ShardChoice {
        part == "auto" ? try ShardChoice(environment: environment, count: of) : try ShardChoice(part)
    }
}

extension StudyOptions {
    /// Runs one part of the study.
    func part(
        _ choice: ShardChoice, of devices: StudyDevices, _ policies: [LabPolicy], _ options: ProgressOptions
    ) async throws -> StudyPart {
        var progress = ProgressReport("devices", total: nil, isJSON: options.isJSON)
        defer { progress.finish() }
        return try await part(choice, of: devices, policies, &progress)
    }

    /// Runs one part of the study, or all of it.
    func part(
        _ choice: ShardChoice?, of all: StudyDevices, _ policies: [LabPolicy], _ progress: inout ProgressReport,
        exactLimit: Int = ValueDistribution.partLimit
    ) async throws -> StudyPart {
        var devices = all.restarted()
        let header = try header(policies, workload: devices.workloadDigest, shards: choice?.count)
        var (totals, report) = (header.emptyTotals(exactLimit: exactLimit), progress)
        let settings = header.settings
        try await StudyRunner.stream(
            {
                try devices.next { name in choice.map { name.part(of: $0.count) == $0.number } ?? true }
            }, policies, self, exactLimit: exactLimit
        ) { name, device in
            totals.add(device: name, device, settings: settings)
            report.advance()
        }
        progress = report
        return StudyPart(
            header: header, devices: devices.all, parts: choice.map { [$0.number] }, totals: totals)
    }
}
