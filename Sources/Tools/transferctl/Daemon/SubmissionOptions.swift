// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import ToolSupport
import TransferBusClient
import TransferEngine
import TransferModel

/// The options that `add` and `add-upload` share, besides timing and request.
struct SubmissionOptions: ParsableArguments {
    @Option(help: .init("Add the transfers to this session, to list and control them together.", valueName: "name"))
    var session: String?

    @Flag(help: "Wait until the transfers have ended: status 0 if all succeeded, 1 if at least one failed.")
    var wait = false

    @Flag(help: "Write JSON: one object with the key ids.")
    var json = false

    /// Rejects options that belong to the whole daemon or to a command that runs transfers itself.
    ///
    /// - Throws: `UsageError` that names the option and the alternative.
    func check(_ options: some TransferOptions) throws {
        let unsupported: [(String, Bool)] = [
            ("policy", options.timing.policy != nil), ("assume", options.timing.assume != nil),
            ("user-agent", options.request.userAgent != nil), ("proxy", options.request.proxy != nil),
            ("ca-file", options.request.caFile != nil), ("limit-rate", options.request.limitRate != nil),
            ("yield", options.request.yield),
        ]
        guard let (name, _) = unsupported.first(where: \.1) else { return }
        let keys = ["policy": "policy", "limit-rate": "rate-limit", "yield": "yield"]
        throw UsageError(
            keys[name].map { "--\(name) belongs to the daemon, not to a single transfer; set \($0) in config.toml" }
                ?? "the daemon does not support --\(name); 'transferctl get' supports it")
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
