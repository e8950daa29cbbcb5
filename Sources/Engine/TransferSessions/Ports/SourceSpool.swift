// SPDX-License-Identifier: Apache-2.0

/// The storage that keeps the files of uploads until their transfers end.
///
/// An app may delete or replace its own file as soon as the file is kept here.
package protocol SourceSpool: Sendable {
    /// Keeps a file's content. On return the content survives the end of the app, the end of this process and a power
    /// cut.
    ///
    /// Canceling the task ends a copy early and leaves nothing behind.
    ///
    /// - Parameters:
    ///   - file: A regular file that can be read.
    ///   - app: The app whose quota the file counts toward.
    ///   - limit: The maximum number of bytes of all kept files of the app, including this file.
    /// - Throws: `SourceSpoolError`; nothing is kept then.
    func keep(_ file: SourceFile, for app: String, within limit: Int64) async throws(SourceSpoolError) -> KeptSource
    /// Removes a kept file. Safe to repeat; a path outside the spool is left alone.
    func remove(_ source: KeptSource)
    /// Removes all kept files except the given ones. Called at startup.
    ///
    /// - Returns: The number of files that were removed.
    @discardableResult
    func restore(_ sources: [KeptSource]) async -> Int
    /// The number and the bytes of an app's kept files, in constant time.
    func usage(of app: String) -> SpoolUsage
}

/// A source file to keep.
package enum SourceFile: Hashable, Sendable {
    /// The file at an absolute path. Symbolic links are followed.
    case path(String)
    /// An open descriptor, which stays the caller's and has to stay open until the call returns.
    case descriptor(Int32)
}

/// The kept files of an app.
package struct SpoolUsage: Hashable, Sendable {
    package var files = 0
    package var bytes: Int64 = 0

    package init(files: Int = 0, bytes: Int64 = 0) {
        self.files = files
        self.bytes = bytes
    }
}

/// The reason why a file was not kept.
package struct SourceSpoolError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The file cannot be read, is not a regular file, or was changed while it was copied.
        case unusable
        /// The app's quota, or the space that stays free on the volume, does not allow the file.
        case limitExceeded
        /// The spool's own folder cannot be written.
        case unavailable
        /// The task was canceled.
        case cancelled
    }

    package var code: Code
    /// The cause, and a way out.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
