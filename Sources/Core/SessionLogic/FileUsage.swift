// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// An app's share of the disk and of the task quota. Kept upload files are counted elsewhere.
package struct FileUsage: Hashable, Sendable {
    /// The number of finished files that the app has not claimed yet. ``finishedBytes`` is their total size.
    package var finishedFiles = 0
    package var finishedBytes: Int64 = 0
    /// The bytes on disk of unfinished downloads, and of canceled downloads that may still be continued.
    package var partialBytes: Int64 = 0
    /// The number of unfinished tasks, including suspended tasks.
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
    /// The path of the finished file that the event reports.
    var file: String? {
        if case .downloaded(let path) = self { path } else { nil }
    }
}
