// SPDX-License-Identifier: Apache-2.0

/// What a background session refuses, and what would be right instead.
public struct SessionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of refusal.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The identifier is empty, or too long.
        case badIdentifier
        /// The session has no delegate to tell.
        case noDelegate
        /// Another process uses the session.
        case inUse
        /// The session has been invalidated.
        case invalidated
        /// The scheme is neither http nor https.
        case unsupportedScheme
        /// An upload from memory or from a stream, a task with a completion handler, or another thing that a background
        /// session cannot outlive its program with.
        case unsupportedTask
        /// The file to upload cannot be read.
        case unreadableFile
        /// What was kept to continue a download is none of this module's, or damaged.
        case badResumeData
        /// The daemon cannot be reached, or has refused.
        case unavailable
    }

    /// What kind it is.
    public var code: Code
    /// What was wrong, and what to do.
    public var message: String
    /// The process that uses the session, where another one does.
    public var owner: Int32?

    /// An error.
    public init(code: Code, message: String, owner: Int32? = nil) {
        self.code = code
        self.message = message
        self.owner = owner
    }

    /// The message.
    public var description: String { message }
}

/// Ends the program, as an exception does on Apple's systems: where their API has no way to tell of an error, a mistake
/// of the program's must not pass silently. `BackgroundSession` throws the same errors instead.
func misused(_ error: SessionError, file: StaticString = #file, line: UInt = #line) -> Never {
    fatalError(error.message, file: file, line: line)
}
