// SPDX-License-Identifier: Apache-2.0
import Glibc
import SQLiteStore
import TransferEngine
import TransferModel
import TransferPolicy

/// A program that writes into a store until it is done or killed. It prints each id after the commit is acknowledged.
///
///     StoreChild DATABASE COUNT
///
/// Each transfer takes two durable transactions: its submission, and a checkpoint together with a suspension.
@main
struct StoreChild {
    static func main() async {
        guard CommandLine.arguments.count == 3, let count = Int(CommandLine.arguments[2]) else {
            complain("usage: StoreChild DATABASE COUNT")
            exit(2)
        }
        do {
            let store = try SQLiteStore(SQLiteStoreConfiguration(path: CommandLine.arguments[1]))
            for _ in 0..<count { try await writeOne(to: store) }
            await store.close()
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    private static func writeOne(to store: SQLiteStore) async throws {
        let specification = TransferSpecification(
            url: "http://127.0.0.1/", destination: Destination(directory: "/tmp", name: nil),
            traits: TransferTraits(
                kind: .normal, host: "http://127.0.0.1:80", submitted: WallTime(secondsSinceEpoch: 0)))
        let new = NewTransfer(specification, key: "child")
        let id = try await store.commit([.submitted(new)])[0]
        say("inserted \(id)")
        let resume = ResumePoint(path: "/tmp/\(id)", offset: id.rawValue, total: nil, validator: nil, bootID: "boot")
        try await store.commit([.checkpointed(id, resume), .suspended(id, true)])
        say("checkpointed \(id)")
    }

    /// Writes directly to the descriptor, because buffered output would be lost with the process.
    private static func say(_ line: String) {
        _ = (line + "\n").withCString { write(STDOUT_FILENO, $0, strlen($0)) }
    }

    private static func complain(_ line: String) {
        _ = (line + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }
}
