// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking
internal import Synchronization
internal import TransferModel

/// Downloads that the program awaits by name.
///
/// A name is unique in its session. The same call, in this process or after a crash or a relaunch, joins the same
/// transfer or returns its finished file. See <doc:AwaitingAFile>.
extension BackgroundSession {
    /// Downloads a file, or joins the transfer with the name, or returns its finished file at once.
    ///
    /// ```swift
    /// let file = try await session.file(for: URLRequest(url: episode), id: "episode-7")
    /// ```
    ///
    /// The transfer continues if the program ends or the awaiting task is canceled. The session's events do not
    /// include those of the transfer. A server that requires authentication is not asked for again: its refusal is the
    /// response.
    ///
    /// - Parameters:
    ///   - request: The request, whose body has at most 256 KiB.
    ///   - id: The name of the transfer and of its file, unique in the session, 1 to 1000 bytes without NUL.
    ///   - options: The options of a new transfer.
    /// - Returns: The file. It belongs to the program and stays until ``remove(id:)`` removes it.
    /// - Throws: `TransferError`. A status of 400 or higher is an error. After an error that is retryable, the same
    ///   call tries again.
    public func file(
        for request: URLRequest, id: String, options: TransferOptions = TransferOptions()
    ) async throws(TransferError) -> URL {
        try await transfer(for: request, id: id, options: options).file
    }

    /// Starts or joins the transfer with a name, without awaiting its end.
    ///
    /// - Parameters:
    ///   - request: The request, whose body has at most 256 KiB.
    ///   - id: The name of the transfer and of its file, unique in the session, 1 to 1000 bytes without NUL.
    ///   - options: The options of a new transfer.
    /// - Returns: The transfer, after the service has saved it.
    /// - Throws: `TransferError` if the name belongs to another request, or if the session refuses the request.
    public func transfer(
        for request: URLRequest, id: String, options: TransferOptions = TransferOptions()
    ) async throws(TransferError) -> NamedTransfer {
        guard 1...TaskName.longestID ~= id.utf8.count, !id.utf8.contains(0) else {
            throw TransferError(
                code: .badID,
                message:
                    "A name has 1 to \(TaskName.longestID) bytes without NUL; this name has \(id.utf8.count) bytes.")
        }
        let description: RequestDescription
        do throws(SessionError) {
            description = try RequestDescription(ofDownload: request)
        } catch {
            throw TransferError(error)
        }
        let name = TaskName(id: id, of: description)
        let use = try names.use(name, url: description.url) { name throws(SessionError) in
            try add(.download, description) { snapshot in
                snapshot.name = name
                snapshot.conditions = options.conditions
                snapshot.priority = options.priority.isNaN ? 0.5 : min(1, max(0, options.priority))
                snapshot.expectedToReceive = max(-1, options.expectedBytes ?? -1)
            }
        }
        switch use {
        case .existing(let state): return NamedTransfer(state, of: self, cancelsWithTask: options.cancelsWithTask)
        case .unmoved(let state, let event):
            await withoutBlocking { self.names.end(state, event, of: self) }
            return NamedTransfer(state, of: self, cancelsWithTask: options.cancelsWithTask)
        case .new(let state, let task):
            await withoutBlocking { task.resume() }
            return NamedTransfer(state, of: self, cancelsWithTask: options.cancelsWithTask)
        }
    }

    /// Downloads several files, or joins their transfers, or returns their finished files at once.
    ///
    /// - Parameters:
    ///   - requests: The requests, by name.
    ///   - options: The options of new transfers.
    /// - Returns: The files, by name.
    /// - Throws: The error of the first transfer that fails. The other transfers continue.
    public func files(
        for requests: [String: URLRequest], options: TransferOptions = TransferOptions()
    ) async throws(TransferError) -> [String: URL] {
        try await transfers(for: requests, options: options).files
    }

    /// Starts or joins several transfers, without awaiting their end.
    ///
    /// - Parameters:
    ///   - requests: The requests, by name.
    ///   - options: The options of new transfers.
    /// - Returns: The transfers, with one progress.
    /// - Throws: `TransferError` if a name belongs to another request, or if the session refuses a request. The
    ///   transfers that were started before continue.
    public func transfers(
        for requests: [String: URLRequest], options: TransferOptions = TransferOptions()
    ) async throws(TransferError) -> NamedTransfers {
        var transfers: [String: NamedTransfer] = [:]
        for (id, request) in requests.sorted(by: { $0.key < $1.key }) {
            transfers[id] = try await transfer(for: request, id: id, options: options)
        }
        return NamedTransfers(transfers, cancelsWithTask: options.cancelsWithTask)
    }

    /// Removes a name: cancels its transfer if it has not ended, and removes its finished file.
    ///
    /// Returns after the transfer has ended. Does nothing if the session has no such name.
    ///
    /// - Parameter id: The name of the transfer.
    /// - Throws: `TransferError` if the file cannot be removed.
    public func remove(id: String) async throws(TransferError) {
        if let state = names.unfinished(id) {
            await withoutBlocking { state.task?.cancel() }
            // The cancellation of this call must not leave the file of a transfer that ends later.
            _ = await Task { await state.outcome() }.value
            // Orders and acknowledgements are carried out before the file is removed.
            _ = try? await channel.tasks(of: configuration.identifier)
        }
        do { try names.remove(id, of: self) } catch {
            throw TransferError(code: .disk, message: "The file '\(id)' cannot be removed: \(error)")
        }
    }

    /// Runs a closure that may wait for the service, without blocking a thread of the cooperative pool.
    private func withoutBlocking(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                body()
                continuation.resume()
            }
        }
    }
}
