// SPDX-License-Identifier: Apache-2.0
public import Foundation
internal import TransferModel

/// An error of a transfer that the program awaits by name. Its message names the problem and the remedy.
///
/// ```swift
/// do {
///     file = try await session.file(for: request, id: "episode-7")
/// } catch where error.isRetryable {
///     // The same call starts the transfer again.
/// }
/// ```
public struct TransferError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of error.
    public enum Code: Hashable, Sendable {
        /// The server responded with this status, 400 or higher.
        case httpStatus(Int)
        /// The transfer ended without a response.
        case network(URLError)
        /// The awaiting task or the transfer was canceled.
        case canceled
        /// The name belongs to a transfer or a file of another request.
        case idInUse
        /// The name is empty, is longer than 1000 bytes, or contains NUL.
        case badID
        /// The request cannot be expressed as a URL request.
        case badRequest
        /// The file cannot be moved into the folder of the session. The service keeps the file, and the same call
        /// moves it later.
        case disk
        /// The session has ended, or refuses the request.
        case session(SessionError)
    }

    /// The kind of the error.
    public var code: Code
    /// A description of the problem and its remedy, in English.
    public var message: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of the error.
    ///   - message: A description of the problem and its remedy.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The same text as ``message``.
    public var description: String { message }

    /// A Boolean value that indicates whether the same call may succeed later.
    public var isRetryable: Bool {
        switch code {
        case .httpStatus(let status): status >= 500 || status == 408 || status == 425 || status == 429
        case .network(let error): error.code != .unsupportedURL && error.code != .badURL
        case .canceled, .disk: true
        case .idInUse, .badID, .badRequest: false
        case .session(let error): error.code == .unavailable || error.code == .inUse
        }
    }
}

extension TransferError: LocalizedError {
    /// The same text as ``message``.
    public var errorDescription: String? { message }
}

extension TransferError {
    /// Creates the error of a call that ends because of an error of its session.
    init(_ error: SessionError) { self.init(code: .session(error), message: error.message) }

    /// Creates the error of a transfer that ended without a response.
    init(_ error: URLError, of id: String) {
        guard error.code != .cancelled else {
            self.init(code: .canceled, message: "The transfer '\(id)' was canceled.")
            return
        }
        self.init(code: .network(error), message: "The transfer '\(id)' failed: \(error.localizedDescription)")
    }

    static func status(_ status: Int, of id: String) -> TransferError {
        TransferError(
            code: .httpStatus(status), message: "The server responded to the transfer '\(id)' with status \(status).")
    }

    static func awaitingCanceled(_ id: String) -> TransferError {
        TransferError(
            code: .canceled,
            message: "The task that awaited the transfer '\(id)' was canceled. The same call joins the transfer again.")
    }

    static func disk(_ why: String, of id: String) -> TransferError {
        TransferError(code: .disk, message: "The file '\(id)' cannot be moved into the folder of its session: \(why)")
    }

    /// The error of a response without a file, which no service reports.
    static func noFile(_ id: String) -> TransferError {
        TransferError(URLError(.badServerResponse), of: id)
    }

    /// Creates the error for a name that belongs to another request. The messages do not contain the parts of URLs
    /// that may be secret.
    static func idInUse(_ id: String, by former: String, not new: String) -> TransferError {
        let urls = [former, new].map { RedactedURL.text(of: $0) }
        let difference = urls[0] == urls[1] ? "with another query, method, or body" : "for '\(urls[0])'"
        return TransferError(
            code: .idInUse,
            message: """
                The name '\(id)' belongs to a request \(difference), not to this request for '\(urls[1])'. Choose \
                another name, or remove the name first.
                """)
    }
}
