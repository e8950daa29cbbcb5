// SPDX-License-Identifier: Apache-2.0
import Synchronization
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferModel
import TransferSessions

/// The kept files of uploads outside sessions. The session host owns the files of sessions.
final class UploadSources: Sendable {
    private let spool: any SourceSpool
    private let files = Mutex<[TransferID: KeptSource]>([:])

    /// Creates a registry without files. Call ``record(_:_:)`` for each transfer of earlier runs.
    init(spool: any SourceSpool) { self.spool = spool }

    /// The files of all transfers.
    var all: [KeptSource] { files.withLock { Array($0.values) } }

    /// Returns the number and size of the files that count toward an app's quota, including files of its sessions.
    func usage(of app: String) -> SpoolUsage { spool.usage(of: BusCaller.limitGroup(of: app)) }

    /// Keeps the file of an upload until its transfer ends. Returns after the kept file is durable.
    ///
    /// The specification of the transfer must name the kept file, see
    /// `UploadSource.init(_:of:method:contentType:resumption:)`. Pass a file that no transfer will name to
    /// ``discard(_:)``.
    ///
    /// - Parameters:
    ///   - descriptor: A descriptor that is open for reading, and stays open until this method returns.
    ///   - app: The app whose quota counts. Sandboxes without a name share one quota.
    ///   - limit: The maximum size of the app's kept files in bytes.
    /// - Throws: `BusFault` with `invalidArgument` if the descriptor is not a readable file. With `limitExceeded` if
    ///   the app's quota (`files-per-app`) or the volume has no room. With `storeFailed` if the daemon's own folder
    ///   cannot be written.
    func keep(_ descriptor: Int32, for app: String, within limit: Int64) async throws -> KeptSource {
        do throws(SourceSpoolError) {
            return try await spool.keep(.descriptor(descriptor), for: BusCaller.limitGroup(of: app), within: limit)
        } catch {
            switch error.code {
            case .unusable: throw BusFault(.invalidArgument, error.message)
            case .limitExceeded: throw BusFault(.limitExceeded, error.message)
            case .unavailable, .cancelled: throw BusFault(.storeFailed, error.message)
            }
        }
    }

    /// Removes a kept file that no transfer names.
    func discard(_ source: KeptSource) { spool.remove(source) }

    /// Records the kept file of a transfer, so that ``transferEnded(_:)`` can remove the file.
    func record(_ id: TransferID, _ specification: TransferSpecification) {
        guard let upload = specification.upload, upload.origin != nil, specification.traits.session == nil else {
            return
        }
        let source = KeptSource(
            app: BusCaller.limitGroup(of: specification.traits.app), path: upload.path, size: upload.size,
            modified: upload.modified)
        files.withLock { $0[id] = source }
    }

    /// Removes the kept file of an ended transfer.
    func transferEnded(_ id: TransferID) {
        if let source = files.withLock({ $0.removeValue(forKey: id) }) { spool.remove(source) }
    }
}

extension UploadSource {
    /// Creates the source of an upload from a kept file.
    ///
    /// - Parameter origin: The path of the app's own file, shown to the user and to servers.
    init(
        _ source: KeptSource, of origin: String, method: Method = .put, contentType: String? = nil,
        resumption: Resumption = .automatic
    ) {
        self.init(
            method: method, path: source.path, size: source.size, modified: source.modified, contentType: contentType,
            resumption: resumption, origin: origin)
    }
}
