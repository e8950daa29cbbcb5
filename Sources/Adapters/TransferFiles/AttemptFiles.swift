// SPDX-License-Identifier: Apache-2.0
import Glibc
package import TransferEngine
package import TransferModel

/// Everything of one attempt that names a path.
///
/// An executor that runs in the app's own process works on the paths itself (``LocalFiles``). A confined worker reaches no
/// path: it asks the process that started it, which goes by the paths of the transfer's own specification and passes open
/// descriptors. Bytes are read and written through descriptors in both cases.
///
/// Calls may wait for the disk. An attempt makes one call at a time.
package protocol AttemptFiles: AnyObject, Sendable {
    /// Looks at the destination and at what earlier attempts left there; opens the file to upload. The first call.
    func prepare() -> (PreparedFiles, OwnedDescriptor?)
    /// Opens the partial file at its whole length; makes it where nothing is recorded of one.
    ///
    /// - Parameter server: the answer, whose name for the file is checked where the specification has none.
    func open(for server: ServerFile) throws(FileFailure) -> PartialFile
    /// Gives the complete partial file its mode, its time and its final name, and makes that durable.
    ///
    /// - Returns: nil where the partial file has another size or lost its name: somebody else changed it.
    func adopt(_ file: PartialFile, as server: ServerFile, size: Int64) throws(FileFailure) -> CompletedFile?
    /// Removes the partial file, unless something else has its name by now.
    func remove(_ file: PartialFile?)
}

/// The state of an attempt's files before its first request.
package enum PreparedFiles: Hashable, Sendable, Codable {
    /// A download can begin, or go on, there. `isUnchanged` tells whether the file of an earlier run
    /// (``TransferSpecification/completedBefore``) is still as it was then.
    case download(PartialPlace, isUnchanged: Bool)
    /// An earlier attempt gave the file its final name and could not say so.
    case placed(TransferCompletion, partialPath: String)
    /// An upload's file is open: its descriptor comes with this value.
    case upload
    /// The destination or the partial file cannot be used.
    case failed(FileFailure)
    /// An upload's file cannot be read, or has changed.
    case unreadable(TransferFailure)
}

/// An open file that is closed with its last reference.
package final class OwnedDescriptor: Sendable {
    /// The descriptor's number.
    package let number: Int32

    /// Takes the descriptor over.
    package init(_ number: Int32) { self.number = number }

    deinit { close(number) }
}
