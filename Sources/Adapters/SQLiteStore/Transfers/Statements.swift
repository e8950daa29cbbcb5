// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine
internal import TransferModel

/// The statements that run once for each of thousands of transfers, prepared once.
final class Statements {
    private let task: RawStatement
    private let queue: RawStatement
    private let event: RawStatement
    /// Selects the largest ID ever assigned. `identifier` keeps the largest ID of the deleted transfers.
    let last: RawStatement
    /// Begins a transaction that may write. The statements after it commit the transaction and handle one request's
    /// savepoint.
    let begin: RawStatement
    let commit: RawStatement
    let save: RawStatement
    let release: RawStatement
    let rollBack: RawStatement
    /// Begins a transaction that only reads.
    let beginReading: RawStatement
    /// Reads the scheduling values of a chunk of the queue.
    let queueScan: QueueScan
    /// Selects whole transfers: a chunk of the queue, one unfinished transfer, or one finished transfer. The order of
    /// the columns is the one that `TransferRows+Reading` reads.
    let chunk: RawStatement
    let open: RawStatement
    let ended: RawStatement
    /// Selects the events of one transfer since the last fold.
    let events: RawStatement

    init(_ database: Database) throws {
        task = try RawStatement(
            """
            INSERT INTO task (id, key, specification, url, directory, name, collision) VALUES (?, ?, ?, ?, ?, ?, ?)
            """, on: database)
        queue = try RawStatement(
            """
            INSERT INTO queue (task, class, submitted, deadline, not_before, expected, sending, expires)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, on: database)
        event = try RawStatement(
            "INSERT INTO event (task, kind, value) SELECT task, ?2, ?3 FROM queue WHERE task = ?1", on: database)
        last = try RawStatement(
            "SELECT max(last, ifnull((SELECT max(id) FROM task), 0)) FROM identifier", on: database)
        begin = try RawStatement("BEGIN IMMEDIATE", on: database)
        commit = try RawStatement("COMMIT", on: database)
        save = try RawStatement("SAVEPOINT request", on: database)
        release = try RawStatement("RELEASE request", on: database)
        rollBack = try RawStatement("ROLLBACK TO request", on: database)
        beginReading = try RawStatement("BEGIN", on: database)
        queueScan = try QueueScan(database)
        let columns = """
            task.id, task.key, task.specification, task.url, task.directory, task.name, task.collision, place.class,
            place.submitted, place.deadline, place.not_before, place.expected, place.sending, place.expires
            """
        let progress = """
            progress.resume, progress.retry, progress.is_suspended, progress.hold, progress.relaunch_hold
            """
        let open = """
            SELECT \(columns), NULL, \(progress) FROM queue AS place JOIN task ON task.id = place.task
                LEFT JOIN progress ON progress.task = place.task
            """
        chunk = try RawStatement("\(open) WHERE place.task > ? ORDER BY place.task LIMIT ?", on: database)
        self.open = try RawStatement("\(open) WHERE place.task = ?", on: database)
        ended = try RawStatement(
            """
            SELECT \(columns), place.ending, NULL, NULL, 0, NULL, NULL FROM ended AS place
                JOIN task ON task.id = place.task WHERE place.task = ?
            """, on: database)
        events = try RawStatement("SELECT kind, value FROM event WHERE task = ? ORDER BY number", on: database)
    }

    func insertTask(_ id: Int64, _ key: String?, _ columns: TransferColumns) throws {
        task.bind(1, id)
        task.bind(2, key)
        task.bind(3, columns.rest)
        task.bind(4, columns.url)
        task.bind(5, columns.destination.directory)
        task.bind(6, columns.destination.name)
        task.bind(7, columns.destination.collision.rawValue)
        try task.run()
    }

    func insertQueue(_ id: Int64, _ shared: Int64, _ numbers: TraitNumbers) throws {
        queue.bind(1, id)
        queue.bind(2, shared)
        queue.bind(3, numbers.submitted)
        queue.bind(4, numbers.deadline)
        queue.bind(5, numbers.notBefore)
        queue.bind(6, numbers.expected)
        queue.bind(7, numbers.sending)
        queue.bind(8, numbers.expires)
        try queue.run()
    }

    /// Appends an event. Returns `false` if the transfer is not in the queue.
    func appendEvent(_ id: Int64, _ kind: Int64, _ value: String?) throws -> Bool {
        event.bind(1, id)
        event.bind(2, kind)
        event.bind(3, value)
        try event.run()
        return event.changes == 1
    }
}
