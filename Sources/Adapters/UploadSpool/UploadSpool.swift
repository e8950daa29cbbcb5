// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Synchronization
package import TransferSessions

/// A private folder that keeps the files of uploads: each by hard link, else by reflink, else as a copy.
///
/// A hard link costs nothing and survives the removal of the app's file, but shares its content: an app that writes into
/// its file changes the kept one, too, and the upload then ends with the cause `sourceChanged`. A reflink or a copy is
/// immune to that. A link is made of this user's own files only, and keeps the permissions of the app's file; the folder's
/// own permissions, 0700, keep others out. Reflinks and copies have the permissions 0600.
///
/// Work on files runs on threads of the spool's own, at most four at a time.
package final class UploadSpool: SourceSpool {
    private let folder: String
    private let availableSpace: @Sendable (_ folder: String) -> Int64?
    private let means: [KeepingMeans]
    private let queue = OperationQueue()
    /// The kept files, by app. A file that is being kept counts already.
    private let files = Mutex<[String: AppFiles]>([:])

    /// A spool in a folder, which is made when the first file is kept. Call ``restore(_:)`` before anything else.
    ///
    /// - Parameters:
    ///   - folder: an absolute path; nothing else may use the folder.
    ///   - availableSpace: the number of bytes that may still be written in a folder; nil if that cannot be told.
    package convenience init(folder: String, availableSpace: @escaping @Sendable (_ folder: String) -> Int64?) {
        self.init(folder: folder, means: KeepingMeans.allCases, availableSpace: availableSpace)
    }

    /// A spool that tries some of the means only, in their order.
    init(folder: String, means: [KeepingMeans], availableSpace: @escaping @Sendable (_ folder: String) -> Int64?) {
        self.folder = folder
        self.means = means
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
                        forget(name, of: app)
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
        let place = try SpoolFolder(folder)
        let facts = try source.keep(as: name, in: place, by: means, until: cancellation) { [availableSpace, folder] in
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
            a file of \(size) bytes is too large: uploads of \(app) have \(kept) bytes of files here and may have \
            \(max(0, limit)) (files-per-app, less the app's downloaded files); wait for some to end, or take finished files
            """)
    }

    // MARK: Removing

    package func remove(_ source: KeptSource) {
        guard let name = name(in: source.path) else { return }
        forget(name, of: source.app)
        unlink(folder + "/" + name)
    }

    private func forget(_ name: String, of app: String) {
        files.withLock { files in
            files[app]?.remove(name)
            if files[app]?.sizes.isEmpty == true { files[app] = nil }
        }
    }

    /// The name of a kept file; nil for paths that are none of the spool's.
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

/// The kept files of an app, with their sum.
private struct AppFiles {
    /// Bytes, by name.
    private(set) var sizes: [String: Int64] = [:]
    private(set) var bytes: Int64 = 0

    mutating func add(_ name: String, _ size: Int64) {
        sizes[name] = size
        bytes += size
    }

    mutating func remove(_ name: String) { bytes -= sizes.removeValue(forKey: name) ?? 0 }
}
