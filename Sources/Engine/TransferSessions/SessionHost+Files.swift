// SPDX-License-Identifier: Apache-2.0
package import SessionLogic
internal import TransferEngine
internal import TransferModel

/// The bytes that apps have on disk by their sessions, and their limit.
extension SessionHost {
    package typealias FileUsage = SessionLogic.FileUsage

    /// How long a sum of an app's downloads is used before it is made anew: each takes a look at all tasks of the app.
    private static let usageAge = Duration.seconds(1)

    /// A sum of an app's downloads.
    struct CountedDownloads {
        var bytes: Int64
        var at: Instant
    }

    /// What each app has, counted now.
    package func fileUsages() -> [String: FileUsage] {
        let apps = Set(machine.keys().map(\.app))
        return Dictionary(uniqueKeysWithValues: apps.map { ($0, machine.fileUsage(of: $0)) })
    }

    /// The bytes of an app's finished and partial files, at most a second old.
    package func downloadedBytes(of app: String) -> Int64 {
        let now = alarm.now().instant
        if let counted = counted[app], counted.at <= now, now < counted.at.advanced(by: Self.usageAge) {
            return counted.bytes
        }
        let usage = machine.fileUsage(of: app)
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
