// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PolicyLab

/// The `transferlab run` command: compares policies side by side.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Replay recorded days under several policies and compare the results.")

    @OptionGroup var study: StudyOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let policies = try policy.selected()
        let cases = try study.cases()
        let (result, items) = await study.run(cases, policies)
        try output.write(result) { StudyRunner.page($0, items, cases, policies, study.settings) }
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
