// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Glibc
public import TransferModel

/// Finds orphaned partial files: files of transfers that a queue has deleted or lost.
///
/// A file counts as orphaned if it belongs to this user, is in the common folder, and has the name of a partial file.
/// By default, the file must also be unwritten for a day. A file that a process holds is never removed. The owner of
/// the queue must check whether a transfer still uses the file.
///
/// ```swift
/// let sweep = PartialSweep(directory: configuration.partialDirectory)
/// for file in sweep.orphanedFiles() where !isKnown(file.transfer) { sweep.remove(file) }
/// ```
public struct PartialSweep: Sendable {
    /// An orphaned partial file.
    public struct OrphanedFile: Hashable, Sendable {
        /// The path of the file.
        public var path: String
        /// The transfer that created the file.
        public var transfer: TransferID
    }

    /// The common folder of partial files.
    private let directory: String

    /// Creates a sweep of the folder named by `HTTPExecutorConfiguration.partialDirectory`.
    public init(directory: String) { self.directory = directory }

    /// Returns the files that may be orphaned, sorted by name.
    ///
    /// - Parameter age: The time since the last write, in whole seconds. Default one day.
    /// - Returns: The files that may be orphaned. Empty if the folder cannot be read.
    public func orphanedFiles(untouchedFor age: Duration = .seconds(86_400)) -> [OrphanedFile] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let oldest = Int64(now.tv_sec) - age.components.seconds
        return names.sorted().compactMap { name in
            guard let number = Self.transfer(name) else { return nil }
            let path = Paths.join(directory, name)
            guard let facts = FileFacts(path: path), facts.kind == .regular, facts.owner == geteuid(),
                facts.modified / 1_000_000_000 <= oldest
            else { return nil }
            return OrphanedFile(path: path, transfer: TransferID(number))
        }
    }

    /// Removes a file, unless a process writes it. Returns whether the file is gone.
    @discardableResult
    public func remove(_ file: OrphanedFile) -> Bool {
        PartialFileState.removeAbandoned(file.path)
        return FileFacts(path: file.path) == nil
    }

    /// Returns the number in a name such as `12-0123456789abcdef.part`, or `nil` for any other name.
    package static func transfer(_ name: String) -> Int64? {
        guard let match = name.wholeMatch(of: #/([0-9]{1,19})-[0-9a-f]{16}\.part/#) else { return nil }
        return Int64(match.1)
    }
}
