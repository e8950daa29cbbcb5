// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Synchronization
internal import TransferEngine
internal import TransferModel

/// A write to the database, together with the caller that waits for the write.
protocol WriteRequest: AnyObject, Sendable {
    /// Whether the write cannot fail by itself and therefore needs no savepoint.
    var cannotFail: Bool { get }
    /// Performs the write within a transaction. Returns whether bytes that may be secret are now in free space.
    func run(in database: Database, _ rows: TransferRows) throws -> Bool
    /// Reports the result, once: `nil` after the write is durable, otherwise the error.
    func complete(_ error: TransferStoreError?)
}

/// A group of changes that succeed or fail together. The caller receives the IDs of the new transfers.
final class ChangesRequest: WriteRequest, @unchecked Sendable {
    // Guard: created by the caller, then used on the connection's queue, then by the writer that completes the
    // request, one after another.
    let cannotFail: Bool
    // A request with one change and one number comes by the thousand, so neither needs an array.
    private let first: PreparedChange
    private let others: [PreparedChange]
    private var firstAssignedID: TransferID?
    private var otherAssignedIDs: [TransferID] = []
    // Unsafe only if the continuation is leaked or resumed twice. Every request is completed once: by the writer, or
    // when it is refused. The check would cost as much as the wake-up.
    private var continuation: UnsafeContinuation<Void, any Error>?
    // The continuation orders the completion and the reads that follow it; the thread sanitizer does not see that
    // order.
    private let isCompleted = Atomic(false)

    /// - Parameter changes: At least one change.
    init(_ changes: [StoreChange], _ classes: TraitClassCache) throws {
        first = try PreparedChange(changes[0], classes)
        others = changes.count == 1 ? [] : try changes.dropFirst().map { try PreparedChange($0, classes) }
        cannotFail = first.cannotFail && others.allSatisfy(\.cannotFail)
    }

    /// The IDs of the new transfers. Valid after the request has been completed.
    var assignedIDs: [TransferID] {
        _ = isCompleted.load(ordering: .acquiring)
        guard let firstAssignedID else { return [] }
        return otherAssignedIDs.isEmpty ? [firstAssignedID] : [firstAssignedID] + otherAssignedIDs
    }

    /// Sets the continuation to resume with the result. Must be called before the request is enqueued.
    func wait(by continuation: UnsafeContinuation<Void, any Error>) { self.continuation = continuation }

    func run(in database: Database, _ rows: TransferRows) throws -> Bool {
        var hasRemovedSecrets = try run(first, in: database, rows)
        for change in others where try run(change, in: database, rows) { hasRemovedSecrets = true }
        return hasRemovedSecrets
    }

    private func run(_ change: PreparedChange, in database: Database, _ rows: TransferRows) throws -> Bool {
        switch try rows.apply(change, to: database) {
        case .none: return false
        case .assigned(let id):
            if firstAssignedID == nil { firstAssignedID = id } else { otherAssignedIDs.append(id) }
            return false
        case .removedSecrets: return true
        }
    }

    func complete(_ error: TransferStoreError?) {
        isCompleted.store(true, ordering: .releasing)
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
    }
}

/// Any other write. Without a continuation, no caller waits for the result.
final class OtherRequest: WriteRequest {
    let cannotFail = false
    private let body: @Sendable (Database) throws -> Bool
    private let continuation: CheckedContinuation<Void, any Error>?

    init(_ continuation: CheckedContinuation<Void, any Error>?, _ body: @escaping @Sendable (Database) throws -> Bool) {
        self.body = body
        self.continuation = continuation
    }

    func run(in database: Database, _ rows: TransferRows) throws -> Bool { try body(database) }

    func complete(_ error: TransferStoreError?) {
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
    }
}
