// SPDX-License-Identifier: Apache-2.0
import Foundation
import SQLiteStore
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferModel

/// Access to finished downloads, for programs that cannot reach the files themselves.
extension CallerService {
    /// Opens the file of a finished download for reading, and returns its descriptor.
    func open(_ id: TransferID) async throws -> Int32 {
        try FinishedFile.open(try await path(of: id))
    }

    /// Removes the file of a finished download from the daemon's own folder.
    ///
    /// - Throws: `BusFault` with `invalidArgument` if the file is in another folder, or with `storeFailed` if it
    ///   cannot be removed.
    func discard(_ id: TransferID) async throws {
        let path = try await path(of: id)
        guard daemon.cachedDownloads.contains(path, of: caller.app) else {
            throw BusFault(
                .invalidArgument, "the file of transfer \(id) is not in the daemon's folder; remove the file yourself")
        }
        guard daemon.cachedDownloads.remove(path, of: caller.app) else {
            throw BusFault(.storeFailed, "cannot remove the file: \(String(cString: strerror(errno)))")
        }
    }

    /// Returns the path of a finished download within the caller's rights. Downloads that only the history knows are
    /// found, too.
    private func path(of id: TransferID) async throws -> String {
        var stored: TransferStatus?
        if registry.status(of: id) == nil {
            stored = try await daemon.history?.transfers([id]).first.map(TransferStatus.init)
        }
        let status = try stored.flatMap { caller.reaches($0.app) ? $0 : nil } ?? status(of: id)
        guard status.state == .finished, !status.isUpload, let path = status.path else {
            throw BusFault(
                .invalidArgument, "transfer \(id) has no finished file; its state is \(status.state.displayName)")
        }
        return path
    }
}
