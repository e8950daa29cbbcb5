// SPDX-License-Identifier: Apache-2.0
public import Foundation
package import TransferModel

/// An error of a background session. Its message names the problem and the remedy.
///
/// ```swift
/// do {
///     session = try await BackgroundSession.open(configuration)
/// } catch let error as SessionError where error.code == .inUse {
///     print("process \(error.owner ?? 0) uses the session")
/// }
/// ```
public struct SessionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of error.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The identifier is empty, is too long, or contains NUL.
        case badIdentifier
        /// The session has no delegate to receive its events.
        case noDelegate
        /// Another process uses the session.
        case inUse
        /// The session has been invalidated.
        case invalidated
        /// The scheme is neither http nor https.
        case unsupportedScheme
        /// The task depends on the running program: an upload from memory or from a stream, or a task with a
        /// completion handler, for example. A background session cannot continue such a task after the program has
        /// ended.
        case unsupportedTask
        /// The file to upload cannot be read.
        case unreadableFile
        /// The data is not resume data of this module, or is damaged.
        case badResumeData
        /// The daemon cannot be reached, or has refused the request.
        case unavailable
    }

    /// The kind of the error.
    public var code: Code
    /// A description of the problem and its remedy, in English.
    public var message: String
    /// The process identifier of the other process that uses the session, with the code ``Code/inUse``. Otherwise
    /// `nil`.
    public var owner: Int32?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of the error.
    ///   - message: A description of the problem and its remedy.
    ///   - owner: The process identifier of the process that uses the session.
    public init(code: Code, message: String, owner: Int32? = nil) {
        self.code = code
        self.message = message
        self.owner = owner
    }

    /// The same text as ``message``.
    public var description: String { message }
}

extension SessionError: LocalizedError, CustomNSError {
    /// The same text as ``message``.
    public var errorDescription: String? { message }
    /// The same text as ``message``.
    public var failureReason: String? { message }
    /// The domain of the error as an `NSError`.
    public static var errorDomain: String { "BackgroundTransfer.SessionError" }
    /// The description of the error as an `NSError`.
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: message, NSLocalizedFailureReasonErrorKey: message]
    }
}

/// Returns the value of `body`. If `body` throws, ends the program with the error's message, as an exception does on
/// Apple's platforms.
///
/// Apple's API cannot report some errors, and a mistake of the program must not pass silently. `BackgroundSession`
/// throws the same errors instead.
func orMisused<Value>(_ body: () throws(SessionError) -> Value, file: StaticString = #file, line: UInt = #line) -> Value
{
    do throws(SessionError) { return try body() } catch { failForMisuse(error, file: file, line: line) }
}

/// Ends the program with the message of an error.
func failForMisuse(_ error: SessionError, file: StaticString = #file, line: UInt = #line) -> Never {
    fatalError(error.message, file: file, line: line)
}

extension SessionError {
    /// Creates an error from a refusal of the service.
    package init(_ refusal: SessionRefusal) {
        let code: Code =
            switch refusal.code {
            case .badIdentifier: .badIdentifier
            case .inUse: .inUse
            case .noSuchSession, .invalid, .limitExceeded, .unavailable: .unavailable
            }
        self.init(code: code, message: refusal.message, owner: refusal.owner)
    }
}
