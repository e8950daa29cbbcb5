// SPDX-License-Identifier: Apache-2.0
internal import Synchronization
internal import TransferModel

/// The numbers of the classes of traits that are known to be saved, for whoever prepares a change.
///
/// A class keeps its number as long as the database is open, also where it was removed meanwhile.
final class ClassNumbers: Sendable {
    /// Traits, told apart by what differs most: hashing all of them costs more than the rest of the look-up.
    private struct Key: Hashable {
        var traits: TransferTraits

        func hash(into hasher: inout Hasher) {
            hasher.combine(traits.host)
            hasher.combine(traits.app)
            hasher.combine(traits.priority)
        }
    }

    /// More classes than this are forgotten, and looked up again.
    private static let most = 10_000

    private let numbers = Mutex<[Key: Int64]>([:])

    /// The number of a class; nil where it is not known to be saved.
    func number(of shared: TransferTraits) -> Int64? { numbers.withLock { $0[Key(traits: shared)] } }

    /// Adds classes that are on disk.
    func insert(_ saved: [TransferTraits: Int64]) {
        numbers.withLock { numbers in
            if numbers.count + saved.count > Self.most { numbers = [:] }
            for (traits, number) in saved { numbers[Key(traits: traits)] = number }
        }
    }
}
