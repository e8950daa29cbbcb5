// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Glibc
public import TransferModel

/// Finds partial files that nobody may want any more: of transfers that a queue has forgotten, or lost.
///
/// Only what is named as a partial file of ours, is a file of this user, lies in the common folder and was not written
/// for a day is found; one that a process holds is never removed. Whether a queue still knows it is its owner's to say.
public struct PartialSweep: Sendable {
    /// A partial file.
    public struct Leftover: Hashable, Sendable {
        /// Its path.
        public var path: String
        /// The transfer that it was begun for.
        public var transfer: TransferID
    }

    /// The common folder of partial files.
    private let directory: String

    /// A sweep of the folder that `URLSessionExecutorConfiguration.partialDirectory` names.
    public init(directory: String) { self.directory = directory }

    /// The files that may be left over, by name.
    ///
    /// - Parameter age: how long nothing was written to them.
    public func leftovers(untouchedFor age: Duration = .seconds(86_400)) -> [Leftover] {
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
            return Leftover(path: path, transfer: TransferID(number))
        }
    }

    /// Removes one, unless a process writes it; tells whether it is gone.
    @discardableResult
    public func remove(_ leftover: Leftover) -> Bool {
        PartialPlace.removeAbandoned(leftover.path)
        return FileFacts(path: leftover.path) == nil
    }

    /// The number in a name such as `12-0123456789abcdef.part`; nil in any other name.
    package static func transfer(_ name: String) -> Int64? {
        guard let match = name.wholeMatch(of: #/([0-9]{1,19})-[0-9a-f]{16}\.part/#) else { return nil }
        return Int64(match.1)
    }
}
