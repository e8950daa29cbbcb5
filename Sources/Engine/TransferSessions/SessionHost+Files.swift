// SPDX-License-Identifier: Apache-2.0
internal import TransferEngine
internal import TransferModel

/// The bytes that apps have on disk by their sessions, and their limit.
extension SessionHost {
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
            guard end.file != nil, end.kinds.dropFirst(record.acknowledged).contains(where: \.isFile) else { return }
            finishedFiles += 1
            // Rows of earlier versions have no size.
            finishedBytes += end.fileBytes ?? max(0, record.snapshot.received)
        }
    }

    /// How long a sum of an app's downloads is used before it is made anew: each takes a look at all tasks of the app.
    private static let usageAge = Duration.seconds(1)

    /// A sum of an app's downloads.
    struct CountedDownloads {
        var bytes: Int64
        var at: Instant
    }

    /// What each app has, counted now.
    package func fileUsages() -> [String: FileUsage] {
        var usages: [String: FileUsage] = [:]
        for (key, session) in sessions { usages[key.app, default: FileUsage()].add(session) }
        return usages
    }

    /// The bytes of an app's finished and partial files, at most a second old.
    package func downloadedBytes(of app: String) -> Int64 {
        let now = alarm.now().instant
        if let counted = counted[app], counted.at <= now, now < counted.at.advanced(by: Self.usageAge) {
            return counted.bytes
        }
        var usage = FileUsage()
        for (key, session) in sessions where key.app == app { usage.add(session) }
        let bytes = usage.finishedBytes + usage.partialBytes
        counted[app] = CountedDownloads(bytes: bytes, at: now)
        return bytes
    }

    /// Changes the most bytes of files that an app may have. What is there stays.
    package func limitFiles(perApp bytes: Int64) { filesPerApp = bytes }

    /// - Throws: `SessionRefusal` if the app's files have used up its quota.
    func checkFiles(of app: String) throws {
        let (downloaded, kept) = (downloadedBytes(of: app), spool.usage(of: app).bytes)
        guard downloaded + kept >= filesPerApp else { return }
        throw SessionRefusal(
            code: .limitExceeded,
            message: """
                \(app) has \(downloaded + kept) bytes of files here and may have \(filesPerApp) (files-per-app): \
                \(downloaded) of downloads, finished ones that it has not taken included, and \(kept) of files to upload; \
                take finished files, or cancel tasks
                """)
    }
}

extension SessionEvent.Kind {
    fileprivate var isFile: Bool {
        if case .downloaded = self { true } else { false }
    }
}
