// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import ToolSupport
import TransferBusClient
import TransferEngine
import TransferModel

/// The options that `add` and `add-upload` share, besides timing and request.
struct HandOverOptions: ParsableArguments {
    @Option(help: .init("Put them into this session, to be listed and steered together.", valueName: "name"))
    var session: String?

    @Flag(help: "Wait until they are over: status 0 when all is well, 1 when at least one failed.")
    var wait = false

    @Flag(help: "Write JSON: one object with the numbers.")
    var json = false

    /// Refuses options that belong to the whole daemon or to a command that runs transfers itself.
    ///
    /// - Throws: `UsageError` that names the option and what to do instead.
    func check(_ options: some TransferOptions) throws {
        let foreign: [(String, Bool)] = [
            ("policy", options.timing.policy != nil), ("assume", options.timing.assume != nil),
            ("user-agent", options.request.userAgent != nil), ("proxy", options.request.proxy != nil),
            ("ca-file", options.request.caFile != nil), ("limit-rate", options.request.limitRate != nil),
            ("yield", options.request.yield),
        ]
        guard let (name, _) = foreign.first(where: \.1) else { return }
        throw UsageError(
            "--\(name) is a setting of the whole daemon; set it in its configuration, or use 'transferctl get'")
    }

    /// Submits transfers, prints their numbers, and waits for their ends if that is requested.
    func hand(_ requests: [TransferRequest], to client: BusClient) async throws {
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
            if !wait, Console.isTerminal(STDERR_FILENO) { Console.error(await Self.whatNext(ids, client)) }
        }
        guard wait else { return }
        try await TransferFollower.awaitEnds(of: Set(ids), by: client)
    }

    /// Returns a hint for a user who has just submitted transfers: the wait reason and the command that shows
    /// progress.
    private static func whatNext(_ ids: [TransferID], _ client: BusClient) async -> String {
        guard let id = ids.first, ids.count == 1 else {
            return "'transferctl watch' shows them, and why they wait"
        }
        let sentence = (try? await client.explain(id))?.sentence ?? ""
        let reason = sentence.isEmpty ? "" : "waits: \(sentence.printable); "
        return reason + "'transferctl watch' shows it"
    }
}
