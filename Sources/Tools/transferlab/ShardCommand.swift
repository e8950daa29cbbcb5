// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab

/// The `transferlab shard` command: runs one part of a large study.
struct ShardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shard",
        abstract: "Runs a part of a study, for any batch engine to spread; 'merge' puts the parts together.",
        discussion: """
            Part i of n takes every n-th device, and reads the traces of these only: the others need not be there, but \
            are to be named in the same order. What 'merge' prints is what 'run' would have printed.
            """)

    @Argument(help: "Which part, as I/N: 1/8 … 8/8.")
    var shard: String

    @OptionGroup var study: StudyOptions
    @OptionGroup var policy: PolicyOptions

    @Option(name: .shortAndLong, help: "The file to write the part to; - for standard output.")
    var output: String = "-"

    func run() async throws {
        let words = shard.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard words.count == 2, let number = words[0], let count = words[1], count > 0, count <= 1_000_000,
            (1...count).contains(number)
        else { throw UsageError("'\(shard)' is no part; write the second of eight as 2/8") }
        let policies = try policy.chosen()
        let selection = try study.selection { $0 % count == number - 1 }
        let settings = study.settings
        let items = await StudyRunner.run(selection.cases, policies, settings, width: study.jobs)
        let part = StudyPart(
            header: StudyPart.Header(
                shards: count, policies: policies.map(\.name), devices: selection.names, costs: settings.costs,
                penalty: settings.penalty, freeRate: settings.freeRate, seed: study.seed,
                workload: selection.digest, options: study.optionText),
            shard: number,
            items: zip(selection.places, items).map {
                StudyPart.Item(device: $0, outcomes: $1.outcomes, optimum: $1.optimum)
            })
        try Files.write(part.text(), to: output)
    }
}

/// The `transferlab merge` command: combines the parts of a study.
struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Puts the parts of a study together that 'shard' wrote.")

    @Argument(help: "All parts, in any order.")
    var parts: [String]

    @OptionGroup var output: OutputOptions

    func run() throws {
        let parts = try parts.map { (name: $0, part: try StudyPart(Files.read($0), file: $0)) }
        guard let first = parts.first else { throw UsageError("no part is given") }
        let header = first.part.header
        var items: [Int: StudyRunner.Item] = [:]
        for (name, part) in parts {
            guard part.header == header else {
                throw UsageError("\(name) is part of another study than \(first.name): their inputs or options differ")
            }
            for item in part.items {
                let isNew =
                    items.updateValue(
                        StudyRunner.Item(outcomes: item.outcomes, optimum: item.optimum), forKey: item.device) == nil
                guard isNew else { throw UsageError("\(name) has part \(part.shard)/\(header.shards) once more") }
            }
        }
        let missing = header.devices.indices.filter { items[$0] == nil }.map { $0 % header.shards + 1 }
        guard missing.isEmpty else {
            let names = Set(missing).sorted().map { "\($0)/\(header.shards)" }.joined(separator: ", ")
            throw UsageError("of the study's parts these are missing: \(names)")
        }
        var settings = ReplaySettings()
        settings.costs = header.costs
        settings.penalty = header.penalty
        settings.freeRate = header.freeRate
        let all = header.devices.indices.compactMap { items[$0] }
        try output.write(
            StudyRunner.study(
                all, devices: header.devices, policies: header.policies, settings: settings, seed: header.seed)
        ) { StudyPage($0, optima: all.map(\.optimum), settings: settings) }
    }
}
