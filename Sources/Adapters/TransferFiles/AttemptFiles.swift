// SPDX-License-Identifier: Apache-2.0
import Glibc
package import TransferEngine
package import TransferModel

/// The file operations of an attempt that use a path.
///
/// An executor in the app's own process uses the paths directly (``LocalFiles``). A confined worker has no access to
/// any path. The worker asks the process that started it, which uses the paths of the transfer's own specification
/// and passes open descriptors. In both cases, bytes are read and written through descriptors.
///
/// Calls may wait for the disk. An attempt makes one call at a time.
package protocol AttemptFiles: AnyObject, Sendable {
    /// Examines the destination and the files that earlier attempts left there, and opens the file to upload. Must be
    /// the first call.
    ///
    /// - Parameter isStopped: Returns `true` if the attempt was stopped meanwhile. Then nothing more is read.
    func prepare(isStopped: () -> Bool) -> (PreparedFiles, OwnedDescriptor?)
    /// Opens the partial file without truncating it, or creates the file if no partial file is recorded.
    ///
    /// - Parameter server: The file as the response describes it. If the specification has no file name, the name in
    ///   the response is checked.
    /// - Returns: The open partial file.
    /// - Throws: `FileFailure` if the file cannot be opened or the name cannot be used.
    func open(for server: ServerFile) throws(FileFailure) -> PartialFile
    /// Lets another process open the file as `open(for:)` does, and passes the result to `completion` on any thread.
    ///
    /// - Returns: `false` if this process opens the file itself. Nothing has happened then.
    func beginOpening(
        for server: ServerFile, completion: @escaping @Sendable (Result<PartialFile, FileFailure>) -> Void
    ) -> Bool
    /// Gives the complete partial file its mode, its time, and its final name, and makes them durable.
    ///
    /// - Returns: The finished file. `nil` if another program changed the size of the partial file or took its name.
    func adopt(_ file: PartialFile, as server: ServerFile, size: Int64) throws(FileFailure) -> CompletedFile?
    /// Lets another process do what `adopt(_:as:size:)` does, and passes the result to `completion` on any thread.
    ///
    /// - Returns: `false` if this process adopts the file itself. Nothing has happened then.
    func beginAdopting(
        _ file: PartialFile, as server: ServerFile, size: Int64,
        completion: @escaping @Sendable (Result<CompletedFile?, FileFailure>) -> Void
    ) -> Bool
    /// Removes the partial file, unless its name now belongs to another file.
    func remove(_ file: PartialFile?)
}

extension AttemptFiles {
    /// Returns `false`: this process opens the file itself.
    package func beginOpening(
        for server: ServerFile, completion: @escaping @Sendable (Result<PartialFile, FileFailure>) -> Void
    ) -> Bool { false }

    /// Returns `false`: this process adopts the file itself.
    package func beginAdopting(
        _ file: PartialFile, as server: ServerFile, size: Int64,
        completion: @escaping @Sendable (Result<CompletedFile?, FileFailure>) -> Void
    ) -> Bool { false }
}

/// The state of an attempt's files before its first request.
package enum PreparedFiles: Hashable, Sendable, Codable {
    /// A download can begin or continue at the given place.
    ///
    /// `isUnchanged` indicates whether the file of an earlier run (`TransferSpecification.completedBefore`) is
    /// unchanged since then.
    case download(PartialFileState, isUnchanged: Bool)
    /// An earlier attempt gave the file its final name but could not report its end.
    case placed(TransferCompletion, partialPath: String)
    /// The file to upload is open. Its descriptor accompanies this value.
    case upload
    /// The destination or the partial file cannot be used.
    case failed(FileFailure)
    /// The file to upload cannot be read, or has changed.
    case unreadable(TransferFailure)
}

/// An open file descriptor that is closed together with its last reference.
package final class OwnedDescriptor: Sendable {
    /// The number of the descriptor.
    package let number: Int32

    /// Takes ownership of the descriptor.
    package init(_ number: Int32) { self.number = number }

    deinit { close(number) }
}
