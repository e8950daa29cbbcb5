// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// An app's part of the disk and of the bookkeeping, kept files of uploads apart.
package struct FileUsage: Hashable, Sendable {
    /// Finished files that the app has not taken yet, and their bytes.
    package var finishedFiles = 0
    package var finishedBytes: Int64 = 0
    /// The bytes that unfinished downloads have so far, and cancelled ones that may still be continued.
    package var partialBytes: Int64 = 0
    /// Tasks that are not over, suspended ones included.
    package var tasks = 0

    package init() {}

    mutating func add(_ session: Session) {
        for task in session.tasks.values { add(task.record) }
        for kept in session.record.kept.values { partialBytes += kept.bytes ?? 0 }
    }

    private mutating func add(_ record: TaskRecord) {
        guard let end = record.end else {
            tasks += 1
            if record.snapshot.kind == .download { partialBytes += max(0, record.snapshot.received) }
            return
        }
        guard end.file != nil, end.kinds.dropFirst(record.acknowledged).contains(where: { $0.file != nil }) else {
            return
        }
        finishedFiles += 1
        // Rows of earlier versions have no size.
        finishedBytes += end.fileBytes ?? max(0, record.snapshot.received)
    }
}

extension SessionEvent.Kind {
    /// The finished file that the event is about.
    var file: String? {
        if case .downloaded(let path) = self { path } else { nil }
    }
}
