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
            Part i of n replays every n-th device and reads only the traces of these devices. The other traces need not \
            exist, but must be named in the same order. The output of 'merge' equals the output of 'run'.
            """)

    @Argument(help: "The part to run, as I/N: 1/8 … 8/8.")
    var shard: String

    @OptionGroup var study: StudyOptions
    @OptionGroup var policy: PolicyOptions

    @Option(name: .shortAndLong, help: "The output file of the part; - for standard output.")
    var output: String = "-"

    func run() async throws {
        let words = shard.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard words.count == 2, let number = words[0], let count = words[1], count > 0, count <= 1_000_000,
            (1...count).contains(number)
        else { throw UsageError("not a part: '\(shard)'; write the second of eight parts as 2/8") }
        let policies = try policy.selected()
        let selection = try study.selection { $0 % count == number - 1 }
        let settings = study.settings
        let items = await StudyRunner.run(selection.cases, policies, settings, width: study.jobs)
        let part = StudyPart(
            header: StudyPart.Header(
                shards: count, policies: policies.map(\.name), devices: selection.names, costs: settings.costs,
                penalty: settings.penalty, wifiRate: settings.wifiRate, seed: study.seed,
                workload: selection.digest, options: study.optionText),
            shard: number,
            items: zip(selection.selectedIndices, items).map {
                StudyPart.Item(device: $0, outcomes: $1.outcomes, optimum: $1.optimum)
            })
        try Files.write(part.text(), to: output)
    }
}

/// The `transferlab merge` command: combines the parts of a study.
struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Combine the parts of a study that 'shard' wrote.")

    @Argument(help: "The files of all parts, in any order.")
    var parts: [String]

    @OptionGroup var output: OutputOptions

    func run() throws {
        let parts = try parts.map { (name: $0, part: try StudyPart(Files.read($0), file: $0)) }
        guard let first = parts.first else { throw UsageError("no part is given") }
        let header = first.part.header
        var items: [Int: StudyRunner.Item] = [:]
        for (name, part) in parts {
            guard part.header == header else {
                throw UsageError(
                    "\(name) and \(first.name) are parts of different studies: their inputs or options differ")
            }
            for item in part.items {
                let isNew =
                    items.updateValue(
                        StudyRunner.Item(outcomes: item.outcomes, optimum: item.optimum), forKey: item.device) == nil
                guard isNew else { throw UsageError("\(name) repeats part \(part.shard)/\(header.shards)") }
            }
        }
        let missing = header.devices.indices.filter { items[$0] == nil }.map { $0 % header.shards + 1 }
        guard missing.isEmpty else {
            let names = Set(missing).sorted().map { "\($0)/\(header.shards)" }.joined(separator: ", ")
            throw UsageError("missing parts of the study: \(names)")
        }
        var settings = ReplaySettings()
        settings.costs = header.costs
        settings.penalty = header.penalty
        settings.wifiRate = header.wifiRate
        let all = header.devices.indices.compactMap { items[$0] }
        try output.write(
            StudyRunner.study(
                all, devices: header.devices, policies: header.policies, settings: settings, seed: header.seed)
        ) { StudyPage($0, optima: all.map(\.optimum), settings: settings) }
    }
}
