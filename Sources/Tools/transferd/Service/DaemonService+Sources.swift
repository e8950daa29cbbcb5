// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferModel
import TransferSessions

/// The kept files of uploads that are handed over outside sessions.
extension DaemonService {
    /// Keeps the file of an upload until its transfer ends, durably. Its transfer's specification has to name it, see
    /// `UploadSource.init(_:of:method:contentType:resumption:)`; a file that no transfer comes to name goes to
    /// `discard(_:)`.
    ///
    /// - Parameters:
    ///   - descriptor: open for reading, and open until this returns.
    ///   - app: the app whose quota counts; sandboxes without a name of their own share one.
    /// - Throws: `BusFault`: `invalidArgument` for what is no readable file, `limitExceeded` if the app's quota
    ///   (`files-per-app`) or the volume has no room, `storeFailed` if the daemon's own folder cannot be written.
    func keep(_ descriptor: Int32, for app: String) async throws -> KeptSource {
        let downloaded = await host.downloadedBytes(of: app) + cachedDownloads.usage(of: app).bytes
        let limit = configuration.filesPerApp - min(configuration.filesPerApp, downloaded)
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

    /// Remembers the kept file of a transfer, so that ``removeSource(of:)`` removes it at the transfer's end. Files of
    /// sessions are their host's.
    func noteSource(of id: TransferID, _ specification: TransferSpecification) {
        guard let upload = specification.upload, upload.origin != nil, specification.traits.session == nil else {
            return
        }
        sources[id] = KeptSource(
            app: BusCaller.limitGroup(of: specification.traits.app), path: upload.path, size: upload.size,
            modified: upload.modified)
    }

    /// Removes the kept file of a transfer that has ended.
    func removeSource(of id: TransferID) {
        if let source = sources.removeValue(forKey: id) { spool.remove(source) }
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
