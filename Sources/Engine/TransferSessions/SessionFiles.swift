// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import SessionLogic
internal import TransferModel

/// The files of apps' sessions: finished downloads, files kept for uploads, and the limit of their total size.
struct SessionFiles: Sendable {
    /// The age up to which a sum of an app's downloads is reused. A new sum visits all tasks of the app.
    private static let sumAge = Duration.seconds(1)

    /// A cached total of the bytes of an app's downloads.
    private struct Sum {
        var bytes: Int64
        var at: Instant
    }

    private let resolver: any RequestResolver
    private let spool: any SourceSpool
    /// The maximum number of bytes for the downloads and kept files of an app together. A lower limit removes no
    /// files.
    var limit: Int64
    private var sums: [String: Sum] = [:]

    init(resolver: any RequestResolver, spool: any SourceSpool, limit: Int64) {
        self.resolver = resolver
        self.spool = spool
        self.limit = limit
    }

    /// Returns the bytes of an app's finished and partial files. The value is at most one second old.
    mutating func downloadedBytes(of app: String, at now: Instant, counting: () -> FileUsage) -> Int64 {
        if let sum = sums[app], sum.at <= now, now < sum.at.advanced(by: Self.sumAge) { return sum.bytes }
        let usage = counting()
        let bytes = usage.finishedBytes + usage.partialBytes
        sums[app] = Sum(bytes: bytes, at: now)
        return bytes
    }

    /// Refuses a new download if the app's files have used up the limit.
    func checkRoom(of app: String, downloaded: Int64) throws(SessionRefusal) {
        let kept = spool.usage(of: app).bytes
        guard downloaded + kept >= limit else { return }
        throw SessionRefusal(
            code: .limitExceeded,
            message: """
                \(app) has \(downloaded + kept) bytes of files and may have \(limit) (files-per-app): \(downloaded) bytes \
                of downloads, including unclaimed finished files, and \(kept) bytes of files to upload; claim finished \
                files, or cancel tasks
                """)
    }

    /// Keeps the file of an upload, within the part of the limit that the app's downloads leave.
    ///
    /// - Returns: The kept file, or the failure with which the task ends if the file cannot be read.
    nonisolated(nonsending) func keep(
        _ file: SourceFile, for app: String, downloaded: Int64
    ) async throws(SessionRefusal) -> Result<KeptSource, UnusableTask> {
        do {
            return .success(try await spool.keep(file, for: app, within: limit - min(limit, downloaded)))
        } catch {
            switch error.code {
            case .unusable:
                // `URLError.fileDoesNotExist`
                return .failure(UnusableTask(code: -1100, message: error.message))
            case .limitExceeded: throw SessionRefusal(code: .limitExceeded, message: error.message)
            case .unavailable, .cancelled: throw SessionRefusal(code: .unavailable, message: error.message)
            }
        }
    }

    /// Removes all kept files except those that uploads still need.
    nonisolated(nonsending) func removeUnneeded(keeping needed: [KeptSource], logger: Logger) async {
        let removed = await spool.restore(needed)
        if removed > 0 { logger.info("removed unneeded files of uploads", metadata: ["count": "\(removed)"]) }
    }

    /// Removes the kept file of an upload.
    func remove(_ source: KeptSource) { spool.remove(source) }

    /// Removes a finished file that its app has claimed or abandoned.
    func removeFinished(_ file: String) { resolver.remove(file) }
}
