// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Synchronization
internal import TransferEngine
internal import TransferModel

/// Something to be written, and who waits for it.
protocol WriteRequest: AnyObject, Sendable {
    /// Whether it cannot fail by itself, so that it needs no savepoint.
    var isSure: Bool { get }
    /// Writes it, within a transaction; says whether bytes that may be secret are free space now.
    func run(in database: Database, _ rows: TransferRows) throws -> Bool
    /// Tells its fate, once: nil when it is on disk, else what went wrong.
    func answer(_ error: TransferStoreError?)
}

/// Changes that go together. Who asked for them is given the numbers of those that were new.
final class ChangesRequest: WriteRequest, @unchecked Sendable {
    // Guard: made by who asks, then used on the connection's queue, then by who answers; one after the other.
    let isSure: Bool
    // One change, one number is what comes by the thousand: neither has an array of its own.
    private let first: PreparedChange
    private let others: [PreparedChange]
    private var firstGiven: TransferID?
    private var othersGiven: [TransferID] = []
    // Unsafe only where it is forgotten or resumed twice: every request is answered once, by the writer's turn or where
    // it is refused. The check would cost as much as the wake-up.
    private var continuation: UnsafeContinuation<Void, any Error>?
    // The continuation orders the answer and what is read after it; the thread sanitizer does not see that.
    private let isAnswered = Atomic(false)

    /// - Parameter changes: at least one.
    init(_ changes: [StoreChange], _ classes: ClassNumbers) throws {
        first = try PreparedChange(changes[0], classes)
        others = changes.count == 1 ? [] : try changes.dropFirst().map { try PreparedChange($0, classes) }
        isSure = first.isSure && others.allSatisfy(\.isSure)
    }

    /// The numbers that were given, when it has been answered.
    var given: [TransferID] {
        _ = isAnswered.load(ordering: .acquiring)
        guard let firstGiven else { return [] }
        return othersGiven.isEmpty ? [firstGiven] : [firstGiven] + othersGiven
    }

    /// Says who is to be resumed with the answer; before it is handed over.
    func wait(by continuation: UnsafeContinuation<Void, any Error>) { self.continuation = continuation }

    func run(in database: Database, _ rows: TransferRows) throws -> Bool {
        var hasRemovedSecrets = try run(first, in: database, rows)
        for change in others where try run(change, in: database, rows) { hasRemovedSecrets = true }
        return hasRemovedSecrets
    }

    private func run(_ change: PreparedChange, in database: Database, _ rows: TransferRows) throws -> Bool {
        switch try rows.apply(change, to: database) {
        case .none: return false
        case .gave(let id):
            if firstGiven == nil { firstGiven = id } else { othersGiven.append(id) }
            return false
        case .removedSecrets: return true
        }
    }

    func answer(_ error: TransferStoreError?) {
        isAnswered.store(true, ordering: .releasing)
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
    }
}

/// Anything else. Nobody waits for it where it has no continuation.
final class OtherRequest: WriteRequest {
    let isSure = false
    private let body: @Sendable (Database) throws -> Bool
    private let continuation: CheckedContinuation<Void, any Error>?

    init(_ continuation: CheckedContinuation<Void, any Error>?, _ body: @escaping @Sendable (Database) throws -> Bool) {
        self.body = body
        self.continuation = continuation
    }

    func run(in database: Database, _ rows: TransferRows) throws -> Bool { try body(database) }

    func answer(_ error: TransferStoreError?) {
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
    }
}
