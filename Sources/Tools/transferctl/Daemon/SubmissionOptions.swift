// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import ToolSupport
import TransferBusClient
import TransferEngine
import TransferModel

/// The options of `add` besides those that it shares with `get` and `put`.
struct SubmissionOptions: ParsableArguments {
    @Option(help: .init("Add the transfers to this session, to list and control them together.", valueName: "name"))
    var session: String?

    @Flag(help: "Wait until the transfers have ended: status 0 if all succeeded, 1 if at least one failed.")
    var wait = false

    @Flag(help: "Write JSON: one object with the key ids.")
    var json = false

    @Option(
        help: .init(
            "Limit the rate of each transfer, in bytes per second (64K, 1.5M); the same as --limit-rate-each.",
            valueName: "rate"))
    var limitRate: String?

    @Option(
        parsing: .remaining,
        help: .init(
            "Run a program after each transfer, without a shell: all words that follow are its path and its arguments. Its "
                + "environment has TRANSFER_ID, TRANSFER_URL, TRANSFER_PATH, TRANSFER_STATUS and TRANSFER_RESULT (finished "
                + "or failed).", valueName: "program"))
    var onComplete: [String] = []

    /// Validates the settings of single transfers that the daemon supports, but that `get` and `put` apply otherwise.
    ///
    /// - Throws: `UsageError` that names the option, the error and its remedy.
    func settings(_ options: some TransferOptions) throws -> DaemonSettings {
        guard limitRate == nil || options.request.limitRateEach == nil else {
            throw UsageError("--limit-rate and --limit-rate-each mean the same here; use one of them")
        }
        return DaemonSettings(
            policy: try DaemonSettings.policy(options.timing),
            rateLimit: try limitRate.map { try GetPlan.rate($0, option: "limit-rate") },
            userAgent: try DaemonSettings.userAgent(options.request),
            onComplete: onComplete.isEmpty ? nil : try DaemonSettings.program(onComplete))
    }

    /// Submits transfers, prints their IDs, and waits for their ends if `--wait` is set.
    func submit(_ requests: [TransferRequest], to client: BusClient) async throws {
        let requests = requests.map { request in
            var request = request
            request.specification.traits.session = session
            return request
        }
        let ids = try await client.submit(requests)
        if json {
            JSONLine.print(["ids": ids.map(\.rawValue)])
        } else {
            for id in ids { Console.print("\(id)") }
            if !wait, Console.isTerminal(STDERR_FILENO) { Console.error(await Self.nextStepHint(ids, client)) }
        }
        guard wait else { return }
        try await TransferFollower.waitForAll(of: Set(ids), by: client)
    }

    /// Returns a hint for a user who has just submitted transfers: the wait reason and the command that shows
    /// progress.
    private static func nextStepHint(_ ids: [TransferID], _ client: BusClient) async -> String {
        guard let id = ids.first, ids.count == 1 else {
            return "'transferctl watch' shows the transfers and their wait reasons"
        }
        let sentence = (try? await client.explain(id))?.sentence ?? ""
        let reason = sentence.isEmpty ? "" : "waiting: \(sentence.printable); "
        return reason + "'transferctl watch' shows the progress"
    }
}
