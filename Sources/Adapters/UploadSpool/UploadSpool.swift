// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Synchronization
package import TransferSessions

/// A private folder that keeps the files of uploads by hard link, reflink, or copy, in this order of preference.
///
/// A hard link costs nothing and survives the removal of the app's file, but shares the content. If an app writes to
/// its file, the kept file changes as well, and the upload then ends with the cause `sourceChanged`. A reflink or copy
/// is not affected. Only files of this user are linked. A link keeps the permissions of the app's file, and the
/// folder's permissions, 0700, keep other users out. Reflinks and copies have the permissions 0600.
///
/// File operations run on the spool's own threads, at most four at a time.
package final class UploadSpool: SourceSpool {
    private let folder: String
    private let availableSpace: @Sendable (_ folder: String) -> Int64?
    private let methods: [KeepingMethod]
    private let queue = OperationQueue()
    /// The kept files, by app. Includes files that are currently being kept.
    private let files = Mutex<[String: AppFiles]>([:])

    /// Creates a spool in a folder, which is created when the first file is kept. Call ``restore(_:)`` first.
    ///
    /// - Parameters:
    ///   - folder: An absolute path. No other program may use the folder.
    ///   - availableSpace: Returns the number of bytes that may still be written in a folder; `nil` if unknown.
    package convenience init(folder: String, availableSpace: @escaping @Sendable (_ folder: String) -> Int64?) {
        self.init(folder: folder, methods: KeepingMethod.allCases, availableSpace: availableSpace)
    }

    /// Creates a spool that tries only the given methods, in order.
    init(folder: String, methods: [KeepingMethod], availableSpace: @escaping @Sendable (_ folder: String) -> Int64?) {
        self.folder = folder
        self.methods = methods
        self.availableSpace = availableSpace
        queue.maxConcurrentOperationCount = 4
    }

    // MARK: Keeping

    package func keep(
        _ file: SourceFile, for app: String, within limit: Int64
    ) async throws(SourceSpoolError) -> KeptSource {
        let name = SpoolName.random(for: app)
        let cancellation = SpoolCancellation()
        let result: Result<KeptSource, SourceSpoolError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.addOperation { [self] in
                    do throws(SourceSpoolError) {
                        let source = try keep(file, as: name, for: app, within: limit, until: cancellation)
                        continuation.resume(returning: .success(source))
                    } catch {
                        release(name, of: app)
                        continuation.resume(returning: .failure(error))
                    }
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        return try result.get()
    }

    private func keep(
        _ file: SourceFile, as name: String, for app: String, within limit: Int64, until cancellation: SpoolCancellation
    ) throws(SourceSpoolError) -> KeptSource {
        try cancellation.check()
        let source = try OpenSource(file)
        try reserve(source.facts.size, for: name, of: app, within: limit)
        let spoolFolder = try SpoolFolder(folder)
        let facts = try source.keep(as: name, in: spoolFolder, by: methods, until: cancellation) {
            [availableSpace, folder] in
            availableSpace(folder)
        }
        return KeptSource(app: app, path: folder + "/" + name, size: facts.size, modified: facts.modified)
    }

    private func reserve(
        _ size: Int64, for name: String, of app: String, within limit: Int64
    ) throws(SourceSpoolError) {
        let kept = files.withLock { files -> Int64? in
            let kept = files[app]?.bytes ?? 0
            let (sum, overflow) = kept.addingReportingOverflow(size)
            guard !overflow, sum <= limit else { return kept }
            files[app, default: AppFiles()].add(name, size)
            return nil
        }
        guard let kept else { return }
        throw SourceSpoolError(
            .limitExceeded,
            """
            a file of \(size) bytes is too large: the upload files of \(app) have \(kept) bytes and may have \
            \(max(0, limit)) (files-per-app, minus the app's downloaded files); wait for uploads to end, or claim finished files
            """)
    }

    // MARK: Removing

    package func remove(_ source: KeptSource) {
        guard let name = name(in: source.path) else { return }
        release(name, of: source.app)
        unlink(folder + "/" + name)
    }

    private func release(_ name: String, of app: String) {
        files.withLock { files in
            files[app]?.remove(name)
            if files[app]?.sizes.isEmpty == true { files[app] = nil }
        }
    }

    /// Returns the name of a kept file; `nil` for paths outside the spool.
    private func name(in path: String) -> String? {
        guard path.hasPrefix(folder + "/"), case let name = String(path.dropFirst(folder.count + 1)),
            SpoolName.isName(name)
        else { return nil }
        return name
    }

    @discardableResult
    package func restore(_ sources: [KeptSource]) async -> Int {
        await withCheckedContinuation { continuation in
            queue.addOperation { [self] in continuation.resume(returning: restoreNow(sources)) }
        }
    }

    private func restoreNow(_ sources: [KeptSource]) -> Int {
        var wanted: Set<String> = []
        files.withLock { files in
            for source in sources {
                guard let name = name(in: source.path), wanted.insert(name).inserted else { continue }
                files[source.app, default: AppFiles()].add(name, source.size)
            }
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter(SpoolName.isName).count { !wanted.contains($0) && unlink(folder + "/" + $0) == 0 }
    }

    // MARK: Showing

    package func usage(of app: String) -> SpoolUsage {
        files.withLock { files in
            SpoolUsage(files: files[app]?.sizes.count ?? 0, bytes: files[app]?.bytes ?? 0)
        }
    }
}

/// The kept files of an app, with the sum of their sizes.
private struct AppFiles {
    /// The sizes in bytes, by name.
    private(set) var sizes: [String: Int64] = [:]
    private(set) var bytes: Int64 = 0

    mutating func add(_ name: String, _ size: Int64) {
        sizes[name] = size
        bytes += size
    }

    mutating func remove(_ name: String) { bytes -= sizes.removeValue(forKey: name) ?? 0 }
}
