// SPDX-License-Identifier: Apache-2.0
import Synchronization
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferModel
import TransferSessions

/// The kept files of uploads that are submitted outside sessions; files of sessions are their host's.
final class UploadSources: Sendable {
    private let spool: any SourceSpool
    private let files = Mutex<[TransferID: KeptSource]>([:])

    /// No files yet; those of transfers of earlier runs are to be noted.
    init(spool: any SourceSpool) { self.spool = spool }

    /// All files that belong to transfers.
    var all: [KeptSource] { files.withLock { Array($0.values) } }

    /// The number and size of the files that count towards an app's quota, those of its sessions included.
    func usage(of app: String) -> SpoolUsage { spool.usage(of: BusCaller.limitGroup(of: app)) }

    /// Keeps the file of an upload until its transfer ends, durably. Its transfer's specification has to name it, see
    /// `UploadSource.init(_:of:method:contentType:resumption:)`; a file that no transfer comes to name goes to
    /// ``discard(_:)``.
    ///
    /// - Parameters:
    ///   - descriptor: open for reading, and open until this returns.
    ///   - app: the app whose quota counts; sandboxes without a name of their own share one.
    ///   - limit: the bytes that the app's kept files may take.
    /// - Throws: `BusFault`: `invalidArgument` for what is no readable file, `limitExceeded` if the app's quota
    ///   (`files-per-app`) or the volume has no room, `storeFailed` if the daemon's own folder cannot be written.
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

    /// Remembers the kept file of a transfer, so that ``transferEnded(_:)`` removes it.
    func note(_ id: TransferID, _ specification: TransferSpecification) {
        guard let upload = specification.upload, upload.origin != nil, specification.traits.session == nil else {
            return
        }
        let source = KeptSource(
            app: BusCaller.limitGroup(of: specification.traits.app), path: upload.path, size: upload.size,
            modified: upload.modified)
        files.withLock { $0[id] = source }
    }

    /// Removes the kept file of a transfer that has ended.
    func transferEnded(_ id: TransferID) {
        if let source = files.withLock({ $0.removeValue(forKey: id) }) { spool.remove(source) }
    }
}

extension UploadSource {
    /// A kept file, as a transfer sends it.
    ///
    /// - Parameter origin: the path of the app's own file, for people and servers.
    init(
        _ source: KeptSource, of origin: String, method: Method = .put, contentType: String? = nil,
        resumption: Resumption = .automatic
    ) {
        self.init(
            method: method, path: source.path, size: source.size, modified: source.modified, contentType: contentType,
            resumption: resumption, origin: origin)
    }
}
