// SPDX-License-Identifier: Apache-2.0
import Foundation
import SQLiteStore
import ToolSupport
import TransferEngine
import TransferModel

/// The transfers of interrupted commands, for `get --resume`.
enum InterruptedTransfers {
    /// Returns the interrupted transfers that no other process performs, in the order of their submissions.
    ///
    /// Left out are files of sets, which must appear together, and files for standard output.
    ///
    /// - Parameter directory: The folder of the queue and the locks.
    /// - Throws: `UsageError` if the queue or the locks cannot be used.
    static func find(in directory: String) async throws -> [GetPlan.Item] {
        let path = directory + "/queue.sqlite"
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        var items: [GetPlan.Item] = []
        do {
            let store = try SQLiteStore(SQLiteStoreConfiguration(path: path))
            var last = TransferID(0)
            while case let some = try await store.unfinished(after: last, limit: 1000), let end = some.last {
                items += some.compactMap { transfer in
                    let specification = transfer.specification
                    guard let key = transfer.key, specification.destination.folderIdentity == nil,
                        !specification.isPrivate
                    else { return nil }
                    return GetPlan.Item(specification: specification, key: key)
                }
                last = end.id
            }
            await store.close()
        } catch let error as TransferStoreError {
            throw UsageError("\(error)")
        }
        let locks = try TransferLocks(directory: directory)
        return try items.filter { try locks.acquire(keys: [$0.key]) == nil }
    }
}
