// SPDX-License-Identifier: Apache-2.0
public import TransferEngine
public import TransferModel

/// An error of a ``TransferService``: it cannot start, or a transfer has no result.
///
/// ```swift
/// do {
///     let completion = try await transfers.completion(of: id)
/// } catch TransferServiceError.failed(let failure) {
///     print(failure.message)
/// }
/// ```
public enum TransferServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// An attempt failed with a permanent error, or there were too many failed attempts.
    case failed(TransferFailure)
    /// The server sent a complete response, which is not the requested result. An example is a 404.
    case refused(TransferCompletion)
    /// The transfer was canceled.
    case cancelled
    /// The service has no transfer with this ID. The service forgets ended transfers after 30 days.
    case unknown(TransferID)
    /// The key belongs to an unfinished or finished transfer of another URL.
    case keyInUse(String, by: TransferID)
    /// The service has ended, or could not start. Unfinished transfers continue at the next start.
    case serviceEnded
    /// The service cannot be created. The text names the problem with the folder or the machine, and its remedy.
    case cannotStart(String)

    /// A description of the problem, in English.
    public var description: String {
        switch self {
        case .failed(let failure): failure.message
        case .refused(let completion): "the server answered with status \(completion.status)"
        case .cancelled: "the transfer was canceled"
        case .unknown(let id): "there is no transfer \(id)"
        case .keyInUse(let key, let id): "the key '\(key)' belongs to transfer \(id) of another URL; use another key"
        case .serviceEnded: "the service has ended; its transfers continue when it starts again"
        case .cannotStart(let problem): problem
        }
    }
}
