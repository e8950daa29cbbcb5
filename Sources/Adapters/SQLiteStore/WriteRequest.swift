// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine
internal import TransferPolicy

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
    private let changes: [PreparedChange]
    private var given: [TransferID] = []
    // Unsafe only where it is forgotten or resumed twice: every request is answered once, by the writer's turn or where
    // it is refused. The check would cost as much as the wake-up.
    private let continuation: UnsafeContinuation<[TransferID], any Error>

    init(_ changes: [PreparedChange], _ continuation: UnsafeContinuation<[TransferID], any Error>) {
        isSure = changes.allSatisfy(\.isSure)
        self.changes = changes
        self.continuation = continuation
    }

    func run(in database: Database, _ rows: TransferRows) throws -> Bool {
        var hasRemovedSecrets = false
        for change in changes {
            switch try rows.apply(change, to: database) {
            case .none: break
            case .gave(let id): given.append(id)
            case .removedSecrets: hasRemovedSecrets = true
            }
        }
        return hasRemovedSecrets
    }

    func answer(_ error: TransferStoreError?) {
        if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: given) }
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
