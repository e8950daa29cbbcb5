// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ToolSupport

/// The options that show and delete what interrupted `get` and `put` commands have left.
struct InterruptedOptions: ParsableArguments {
    @Flag(help: "List the unfinished transfers and partial files of earlier 'get' and 'put' commands.")
    var list = false

    @Flag(help: "Delete these transfers and files. Those of running commands stay.")
    var purge = false

    /// Runs the chosen action.
    ///
    /// - Returns: `false` if no action was chosen.
    /// - Throws: `UsageError` if the options cannot be combined or the queue cannot be used.
    func run(stateDirectory: String, hasTargets: Bool, json: Bool) async throws -> Bool {
        guard list || purge else { return false }
        guard !hasTargets, list != purge else {
            throw UsageError("use --list or --purge alone, without URLs")
        }
        let interrupted = InterruptedTransfers(directory: stateDirectory + "/get")
        if purge {
            let (transfers, bytes) = try await interrupted.purge()
            if json {
                JSONLine.print(["transfers": transfers, "bytes": bytes])
            } else {
                let what = transfers == 1 ? "transfer" : "transfers"
                Console.error(
                    "Deleted \(transfers) unfinished \(what) and \(Formatting.bytes(bytes)) of partial files.")
            }
            return true
        }
        let items = try await interrupted.items()
        if json {
            JSONLine.print(["interrupted": items.map(\.object)])
        } else if items.isEmpty {
            Console.error("No unfinished transfers of 'get' or 'put'.")
        } else {
            var table = ColumnTable(["DONE", "ADDED", "STATE", "URL"])
            for item in items { table.add(item.cells) }
            table.print()
        }
        return true
    }
}
