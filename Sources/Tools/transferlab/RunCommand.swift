// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PolicyLab

/// The `transferlab run` command: compares policies side by side.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Replay recorded days under several policies and compare the results.")

    @OptionGroup var study: StudyOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var coverage: CoverageOptions
    @OptionGroup var output: OutputOptions

    /// A warning for readers of a table. Workloads of another seed often reverse the order of similar policies.
    static let singleWorkloadWarning = """
        transferlab: this table rests on one workload, and its intervals do not cover other workloads; \
        'transferlab evaluate' compares policies over many
        """

    @Option(
        help: """
            A folder for the results of parts of the study. A run that was interrupted goes on from its finished parts.
            """)
    var parts: String?

    @Option(help: "The number of parts in the folder. Default: one for each 1000 devices.")
    var shards: Int?

    @OptionGroup var progress: ProgressOptions

    /// The maximum number of devices of a population whose single results are kept.
    private static let maximumListed = 10_000

    func validate() throws {
        guard shards.map({ (1...ShardChoice.maximumCount).contains($0) }) ?? true else {
            throw ValidationError("--shards must be from 1 to 1,000,000")
        }
        guard shards == nil || parts != nil else { throw ValidationError("--shards needs --parts, a folder") }
        guard parts == nil || coverage.minimum == nil else {
            throw ValidationError("--min-known cannot be combined with --parts: leave out the traces before the study")
        }
    }

    func run() async throws {
        let policies = try policy.selected()
        let devices = try study.devices()
        let isLarge = parts != nil || (devices.count ?? 0) > Self.maximumListed
        guard !isLarge || (output.table.csv == nil && output.html == nil) else {
            throw UsageError(
                "--csv and --html show each device, and need a study of at most 10,000 devices without --parts; "
                    + "'transferlab devices' writes the results of any number of devices")
        }
        guard isLarge || !output.showsDevices && coverage.minimum == nil else {
            return try await runInMemory(policies, devices)
        }
        var report = ProgressReport("devices", total: devices.count, isJSON: progress.isJSON)
        let part =
            try await parts == nil
            ? study.part(nil, of: devices, policies, &report, exactLimit: Self.exactLimit)
            : runParts(policies, devices, &report)
        report.finish()
        let result = Study(part.totals, policies: part.header.policies, settings: try study.readSettings())
        if let warning = result.coverage?.warning { Console.error("transferlab: warning: \(warning)") }
        Console.error(Self.singleWorkloadWarning)
        try output.table.write(result)
    }

    /// The number of delays of which a run keeps all.
    private static let exactLimit = 1_000_000

    /// Runs a study whose single devices are shown.
    private func runInMemory(_ policies: [LabPolicy], _ devices: StudyDevices) async throws {
        let cases = try study.cases(coverage, of: devices)
        let (result, items) = try await study.run(cases, policies)
        Console.error(Self.singleWorkloadWarning)
        let origin = { try study.origin("run", policy.lists.flatMap { ["--policy", $0] }, coverage) }
        try await output.write(result, try StudyRunner.PageInput(items, cases, policies, study, origin))
    }

    /// Runs the parts that are not finished, and returns all together.
    private func runParts(
        _ policies: [LabPolicy], _ devices: StudyDevices, _ report: inout ProgressReport
    ) async throws -> StudyPart {
        let folder = PartFolder(parts ?? "")
        guard let total = shards ?? devices.count.map({ ($0 + 999) / 1000 }) else {
            throw UsageError("state the number of parts with --shards, because the number of devices is unknown")
        }
        let header = try study.header(policies, workload: devices.workloadDigest, shards: total)
        var merged = StudyPart(header: header, devices: nil, totals: header.emptyTotals())
        for number in 1...total {
            let choice = ShardChoice(number: number, count: total)
            let part: StudyPart
            if let finished = try folder.finished(choice, of: header) {
                part = finished
                report.resume(part.totals.devices.count)
            } else {
                part = try await study.part(choice, of: devices, policies, &report)
                try folder.write(part, choice)
            }
            try merged.merge(part, source: folder.path(choice))
        }
        try merged.checkCompleteness()
        return merged
    }
}

/// The option that selects policies.
struct PolicyOptions: ParsableArguments {
    @Option(
        name: .customLong("policy"),
        help: "Policies as NAME[:key=value]…, separated by commas. May be repeated. See 'policies'.")
    var lists: [String] = ["default,immediate,unmetered,strict,ladder,oracle"]

    func selected() throws -> [LabPolicy] { try Self.selected(lists) }

    /// Returns the policies of all lists. A policy may appear only once.
    static func selected(_ lists: [String]) throws -> [LabPolicy] {
        let policies = try lists.flatMap { try LabPolicy.list($0) }
        var seen: Set<String> = []
        for policy in policies where !seen.insert(policy.name).inserted {
            throw UsageError("the policy \(policy.name) is given twice")
        }
        return policies
    }
}
