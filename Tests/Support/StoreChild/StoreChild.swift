// SPDX-License-Identifier: Apache-2.0
import Glibc
import SQLiteStore
import TransferEngine
import TransferPolicy

/// Writes into a store until it is done or killed, and prints each number once its commit was acknowledged.
///
///     StoreChild DATABASE COUNT
///
/// Every transfer takes three durable transactions: its number, its insertion, and a checkpoint beside a suspension.
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
        let id = try await store.newIdentifiers(count: 1)[0]
        let specification = TransferSpecification(
            url: "http://127.0.0.1/\(id)", destination: Destination(directory: "/tmp", name: "\(id)"),
            traits: TransferTraits(
                kind: .normal, host: "http://127.0.0.1:80", submitted: WallTime(secondsSinceEpoch: 0)))
        try await store.commit([.inserted(StoredTransfer(id: id, specification: specification, key: "child"))])
        say("inserted \(id)")
        let resume = ResumePoint(path: "/tmp/\(id)", offset: id.rawValue, total: nil, validator: nil, bootID: "boot")
        try await store.commit([.checkpointed(id, resume), .suspended(id, true)])
        say("checkpointed \(id)")
    }

    /// Straight to the descriptor: what is buffered here would be lost with the process.
    private static func say(_ line: String) {
        _ = (line + "\n").withCString { write(STDOUT_FILENO, $0, strlen($0)) }
    }

    private static func complain(_ line: String) {
        _ = (line + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }
}
