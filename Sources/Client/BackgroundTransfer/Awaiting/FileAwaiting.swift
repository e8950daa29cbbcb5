// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// A session whose downloads can be awaited by name. ``URLSession`` conforms to this protocol.
///
/// The delegate of the session receives the events of the session's other tasks only. See <doc:AwaitingAFile>.
///
/// ## Topics
///
/// ### Awaiting Files by Name
/// - ``file(for:id:options:)``
/// - ``files(for:options:)``
/// - ``transfer(for:id:options:)``
/// - ``transfers(for:options:)``
/// - ``remove(id:)``
///
/// ### Finding the Session
/// - ``backgroundSession()``
public protocol FileAwaiting {
    /// Returns the background session that runs the downloads.
    ///
    /// - Throws: `TransferError` if the session is not a background session.
    func backgroundSession() throws(TransferError) -> BackgroundSession
}

extension FileAwaiting {
    /// Downloads a file, or joins the transfer with the name, or returns its finished file at once.
    ///
    /// Behaves as ``BackgroundSession/file(for:id:options:)``.
    ///
    /// - Throws: `TransferError`, also if the session is not a background session.
    public func file(
        for request: URLRequest, id: String, options: TransferOptions = TransferOptions()
    ) async throws(TransferError) -> URL {
        try await backgroundSession().file(for: request, id: id, options: options)
    }

    /// Starts or joins the transfer with a name, without awaiting its end.
    ///
    /// - Throws: `TransferError`, also if the session is not a background session.
    public func transfer(
        for request: URLRequest, id: String, options: TransferOptions = TransferOptions()
    ) async throws(TransferError) -> NamedTransfer {
        try await backgroundSession().transfer(for: request, id: id, options: options)
    }

    /// Downloads several files, or joins their transfers, or returns their finished files at once.
    ///
    /// - Throws: `TransferError`, also if the session is not a background session.
    public func files(
        for requests: [String: URLRequest], options: TransferOptions = TransferOptions()
    ) async throws(TransferError) -> [String: URL] {
        try await backgroundSession().files(for: requests, options: options)
    }

    /// Starts or joins several transfers, without awaiting their end.
    ///
    /// - Throws: `TransferError`, also if the session is not a background session.
    public func transfers(
        for requests: [String: URLRequest], options: TransferOptions = TransferOptions()
    ) async throws(TransferError) -> NamedTransfers {
        try await backgroundSession().transfers(for: requests, options: options)
    }

    /// Removes a name: cancels its transfer if it has not ended, and removes its finished file.
    ///
    /// - Throws: `TransferError`, also if the session is not a background session.
    public func remove(id: String) async throws(TransferError) { try await backgroundSession().remove(id: id) }
}

extension URLSession: FileAwaiting {
    /// Returns the background session that runs the tasks of this session.
    ///
    /// - Throws: `TransferError` if this session is not a background session.
    public func backgroundSession() throws(TransferError) -> BackgroundSession {
        guard let background else {
            throw TransferError(
                SessionError(
                    code: .unsupportedTask,
                    message: """
                        Only a background session finds transfers by name. Create the session with \
                        URLSessionConfiguration.background(withIdentifier:).
                        """))
        }
        return background
    }
}
