// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import ToolSupport
import TransferBusClient
import TransferEngine
import TransferModel

/// What `add` and `add-upload` share, beside when and how.
struct HandOverOptions: ParsableArguments {
    @Option(help: .init("Put them into this session, to be listed and steered together.", valueName: "name"))
    var session: String?

    @Flag(help: "Wait until they are over: status 0 when all is well, 1 when at least one failed.")
    var wait = false

    @Flag(help: "Write JSON: one object with the numbers.")
    var json = false

    /// Refuses what belongs to the whole daemon, or to a command that carries transfers out itself.
    ///
    /// - Throws: `UsageError` that names the option and what would be right.
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

    /// Hands transfers over, tells their numbers, and waits for their ends where that is asked for.
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

    /// What a person may want to know, and to do, who has just handed transfers over.
    private static func whatNext(_ ids: [TransferID], _ client: BusClient) async -> String {
        guard let id = ids.first, ids.count == 1 else {
            return "'transferctl watch' shows them, and why they wait"
        }
        let sentence = (try? await client.explain(id))?.sentence ?? ""
        let reason = sentence.isEmpty ? "" : "waits: \(sentence.printable); "
        return reason + "'transferctl watch' shows it"
    }
}
