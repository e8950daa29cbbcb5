// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferModel
import TransferSessions

/// A spool without files. Each path has the content that the test sets.
final class FakeSpool: SourceSpool {
    /// The contents, which outlive a spool.
    final class Disk: Sendable {
        fileprivate struct Contents {
            var kept: [String: KeptSource] = [:]
            var keeps = 0
            var failure: SourceSpoolError?
            var isSlow = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        fileprivate let contents = Mutex(Contents())
    }

    private let disk: Disk
    /// The size of every file, in bytes.
    static let size: Int64 = 10

    init(disk: Disk) { self.disk = disk }

    /// The paths of the kept files.
    var kept: [String] { disk.contents.withLock { $0.kept.keys.sorted() } }
    /// The number of requests to keep a file.
    var keeps: Int { disk.contents.withLock(\.keeps) }

    /// Makes every further file fail with an error, or succeed again if the error is `nil`.
    func fail(_ failure: SourceSpoolError?) { disk.contents.withLock { $0.failure = failure } }

    /// Makes further files wait until ``release()``.
    func stall() { disk.contents.withLock { $0.isSlow = true } }

    func release() {
        let waiting = disk.contents.withLock { contents in
            contents.isSlow = false
            defer { contents.waiting = [] }
            return contents.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func keep(_ file: SourceFile, for app: String, within limit: Int64) async throws(SourceSpoolError) -> KeptSource {
        let number = disk.contents.withLock { contents in
            contents.keeps += 1
            return contents.keeps
        }
        await withCheckedContinuation { continuation in
            let continues = disk.contents.withLock { contents in
                if contents.isSlow { contents.waiting.append(continuation) }
                return !contents.isSlow
            }
            if continues { continuation.resume() }
        }
        if let failure = disk.contents.withLock(\.failure) { throw failure }
        guard usage(of: app).bytes + Self.size <= limit else {
            throw SourceSpoolError(.limitExceeded, "at most \(limit)")
        }
        let source = KeptSource(app: app, path: "/spool/\(number)", size: Self.size, modified: 7)
        disk.contents.withLock { $0.kept[source.path] = source }
        return source
    }

    func remove(_ source: KeptSource) { disk.contents.withLock { $0.kept[source.path] = nil } }

    func restore(_ sources: [KeptSource]) async -> Int {
        disk.contents.withLock { contents in
            let wanted = Set(sources.map(\.path))
            let unwanted = contents.kept.keys.filter { !wanted.contains($0) }
            for path in unwanted { contents.kept[path] = nil }
            return unwanted.count
        }
    }

    func usage(of app: String) -> SpoolUsage {
        let own = disk.contents.withLock { $0.kept.values.filter { $0.app == app } }
        return SpoolUsage(files: own.count, bytes: own.reduce(0) { $0 + $1.size })
    }
}
