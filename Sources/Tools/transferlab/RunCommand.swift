// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PolicyLab

/// The `transferlab run` command: compares policies side by side.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Replays recorded days under several policies and prints them side by side.")

    @OptionGroup var study: StudyOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let policies = try policy.chosen()
        let cases = try study.cases()
        let (result, items) = await study.run(cases, policies)
        try output.write(result) { StudyRunner.page($0, items, cases, policies, study.settings) }
    }
}

/// The option that selects policies.
struct PolicyOptions: ParsableArguments {
    @Option(
        name: .customLong("policy"),
        help: "Policies as NAME[:key=value]…, separated by commas; may be given several times. See 'policies'.")
    var lists: [String] = ["default,immediate,unmetered,strict,ladder,oracle"]

    func chosen() throws -> [LabPolicy] { try Self.chosen(lists) }

    /// Returns the policies of all lists. A policy may appear only once.
    static func chosen(_ lists: [String]) throws -> [LabPolicy] {
        let policies = try lists.flatMap { try LabPolicy.list($0) }
        var seen: Set<String> = []
        for policy in policies where !seen.insert(policy.name).inserted {
            throw UsageError("the policy \(policy.name) is named twice")
        }
        return policies
    }
}
