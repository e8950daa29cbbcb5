// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import GRDB
internal import Glibc
internal import Synchronization
internal import TransferEngine
internal import TransferModel

/// Turns requests that come while the disk is busy into one transaction, each of them still all or nothing.
///
/// A durable transaction costs a `fdatasync` however much it holds, so what is waiting when the writer gets free goes
/// in together, every request in its own savepoint, and so does what comes while these are written. Requests are
/// carried out in the order they came.
final class GroupCommit: Sendable {
    private struct State: Sendable {
        var waiting: [any WriteRequest] = []
        /// Whether the writer has been told of what waits, or has a transaction open that this goes into.
        var isScheduled = false
        /// Whether it will be told, at the latest when what can wait has waited long enough.
        var isTimed = false
        var isClosed = false
        var needsScrub = false
        var upkeep: UpkeepSchedule
    }

    private let database: DatabaseQueue
    private let rows: TransferRows
    private let path: String
    private let busyMilliseconds: Int
    private let state: Mutex<State>
    /// What is done when upkeep is due.
    private let onUpkeep = Mutex<(@Sendable () -> Void)?>(nil)
    private let log = LogKeeper()

    init(database: DatabaseQueue, rows: TransferRows, path: String, busyMilliseconds: Int, upkeep: UpkeepSchedule) {
        state = Mutex(State(upkeep: upkeep))
        self.database = database
        self.rows = rows
        self.path = path
        self.busyMilliseconds = busyMilliseconds
    }

    /// Whether requests are refused.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// How many requests wait for the writer.
    var waitingCount: Int { state.withLock(\.waiting.count) }

    /// Carries the changes of a request out in a transaction, all or none, and returns when that is durably on disk, with
    /// the numbers that were given.
    func commit(_ request: ChangesRequest) async throws -> [TransferID] {
        try await withUnsafeThrowingContinuation { continuation in
            request.wait(by: continuation)
            enqueue(request)
        }
        return request.given
    }

    /// Carries `body` out in a transaction and returns when that is durably on disk.
    ///
    /// - Parameter body: says whether bytes that may be secret are free space now.
    func perform(_ body: @escaping @Sendable (Database) throws -> Bool) async throws {
        try await withCheckedThrowingContinuation { enqueue(OtherRequest($0, body)) }
    }

    /// Carries `body` out with the next transaction, after two seconds where there is none; nobody is told how it went.
    func performLater(_ body: @escaping @Sendable (Database) throws -> Void) {
        let request = OtherRequest(nil) { database in
            try body(database)
            return false
        }
        let needsTimer = state.withLock { state in
            guard !state.isClosed else { return false }
            state.waiting.append(request)
            defer { state.isTimed = true }
            return !state.isTimed && !state.isScheduled
        }
        guard needsTimer else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(2)) { [weak self] in
            self?.state.withLock { state in
                state.isTimed = false
                self?.schedule(&state)
            }
        }
    }

    /// Returns when all that was handed over before has been carried out.
    func flush() async { try? await perform { _ in false } }

    /// Has the log emptied when there is a moment for it, so that removed secrets do not live on in its old frames. The
    /// backup, which may have them too, is renewed by the next upkeep.
    private func scrubLater() {
        state.withLock { state in
            state.needsScrub = true
            state.upkeep.secretsEnded(at: .now)
        }
    }

    /// The log has what is not to stay in it.
    func needsScrub() { state.withLock { $0.needsScrub = true } }

    /// Whether secrets were erased since the last upkeep began; from now on only later ones count.
    func takeEndedSecrets() -> Bool { state.withLock { $0.upkeep.takeEndedSecrets() } }

    /// Secrets that were taken as erased still are in a file.
    func putBackEndedSecrets() { state.withLock { $0.upkeep.putBackEndedSecrets(at: .now) } }

    /// Whether secrets were erased since the store was opened.
    var hasErasedSecrets: Bool { state.withLock(\.upkeep.hasEndedSecrets) }

    /// Has something done when upkeep is due: whenever nothing was committed for a while after something was, and now and
    /// then where that never happens.
    func whenUpkeepIsDue(_ body: @escaping @Sendable () -> Void) { onUpkeep.withLock { $0 = body } }

    /// Takes the log out of SQLite's hands: it is copied into the database beside the commits, not within one of them.
    func keepLog(of database: Database) { log.attach(to: database) }

    /// Something was committed: has upkeep done at once where it was put off for too long, else in idle time.
    private func awaitUpkeep() {
        take(state.withLock { state in state.isClosed ? .none : state.upkeep.committed(at: .now) })
    }

    private func take(_ step: UpkeepSchedule.Step) {
        switch step {
        case .none: break
        case .lookAgain(let delay): lookForIdle(after: delay)
        case .begin: DispatchQueue.global(qos: .utility).async { [weak self] in self?.keepUp() }
        }
    }

    /// Waits for idle time: no timer is left when there is nothing to do.
    private func lookForIdle(after delay: Duration) {
        let milliseconds = max(delay, .milliseconds(1)).wholeMilliseconds
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
            guard let self else { return }
            take(state.withLock { state in state.isClosed ? .none : state.upkeep.looked(at: .now) })
        }
    }

    private func keepUp() {
        onUpkeep.withLock { $0 }?()
        take(state.withLock { state in state.upkeep.ended(at: .now) })
    }

    /// Refuses requests from here on; those that came before are still carried out.
    func refuseFurtherRequests() {
        state.withLock { state in
            state.isClosed = true
            schedule(&state)
        }
    }

    /// The answer to a call after `close()`.
    static func closed(_ path: String) -> TransferStoreError {
        TransferStoreError(code: .other, message: "The queue \(path) has been closed; open it again to use it.")
    }

    private func enqueue(_ request: any WriteRequest) {
        let isClosed = state.withLock { state in
            guard !state.isClosed else { return true }
            state.waiting.append(request)
            schedule(&state)
            return false
        }
        if isClosed { request.answer(Self.closed(path)) }
    }

    /// Tells the writer of what waits. Under the lock, so that `close()` cannot slip between a request and its turn.
    private func schedule(_ state: inout State) {
        guard !state.isScheduled, !state.waiting.isEmpty else { return }
        state.isScheduled = true
        database.asyncWriteWithoutTransaction { self.drain($0) }
    }

    /// Runs on the connection's serial queue.
    private func drain(_ database: Database) {
        var batch = Batch()
        batch.requests += take(isLast: false)
        do {
            if database.isInsideTransaction { try database.rollback() }
            let statements = try rows.prepared()
            try statements.begin.run()
            try runNew(of: &batch, statements, in: database)
            batch.requests += take(isLast: true)
            try runNew(of: &batch, statements, in: database)
            try rows.events.foldIfMany(database)
            try statements.commit.run()
            rows.forget(isRolledBack: false)
        } catch {
            // What came since goes into the next one.
            state.withLock { state in
                state.isScheduled = false
                schedule(&state)
            }
            if database.isInsideTransaction { try? database.rollback() }
            rows.forget(isRolledBack: true)
            let failure = TransferStoreError(wrapping: error, path: path)
            if failure.code == .corrupt { QueueFile(path: path).suspect() }
            for request in batch.requests { request.answer(failure) }
            return
        }
        // Here, not on another thread: that one would take the processor on which those who are answered go on.
        for (index, request) in batch.requests.enumerated() { request.answer(batch.refusals[index]) }
        scrubIfNeeded(database)
        log.shrinkIfLong(database, path: path)
        awaitUpkeep()
    }

    /// The requests of one transaction.
    private struct Batch {
        var requests: [any WriteRequest] = []
        /// How many were carried out or refused.
        var done = 0
        var refusals: [Int: TransferStoreError] = [:]
    }

    /// What came since it was called last. What comes after the last time is for the next transaction.
    private func take(isLast: Bool) -> [any WriteRequest] {
        state.withLock { state in
            if isLast { state.isScheduled = false }
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    private func runNew(of batch: inout Batch, _ statements: Statements, in database: Database) throws {
        for index in batch.done..<batch.requests.count {
            if let refusal = try run(batch.requests[index], statements, in: database) {
                batch.refusals[index] = refusal
            }
        }
        batch.done = batch.requests.count
    }

    /// One request in its savepoint; what it is refused for, where it is. Throws only what dooms the whole transaction.
    private func run(
        _ request: any WriteRequest, _ statements: Statements, in database: Database
    ) throws -> TransferStoreError? {
        let hasRemovedSecrets: Bool
        if request.isSure {
            hasRemovedSecrets = try request.run(in: database, rows)
        } else {
            try statements.save.run()
            do {
                hasRemovedSecrets = try request.run(in: database, rows)
                try statements.release.run()
            } catch let error as TransferStoreError {
                try takeBack(statements)
                return error.naming(path)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                try takeBack(statements)
                return TransferStoreError(error, path: path)
            }
        }
        if hasRemovedSecrets { scrubLater() }
        return nil
    }

    private func takeBack(_ statements: Statements) throws {
        rows.classes.forgetNew()
        try statements.takeBack.run()
        try statements.release.run()
    }

    /// Copies the log into the database and cuts it to nothing, unless another process reads it: then a later turn,
    /// or whoever closes the database last, does it.
    ///
    /// - Parameter isForced: whether requests that wait are no reason to put it off.
    func scrubIfNeeded(_ database: Database, isForced: Bool = false) {
        guard state.withLock({ $0.needsScrub && (isForced || $0.waiting.isEmpty) }) else { return }
        do {
            try database.execute(sql: "PRAGMA busy_timeout = 0")
            defer { try? database.execute(sql: "PRAGMA busy_timeout = \(busyMilliseconds)") }
            try database.checkpoint(.truncate)
            state.withLock { $0.needsScrub = false }
        } catch {
            // Busy, or no room: what was committed is safe all the same, and the flag asks for another try.
        }
    }
}
