// SPDX-License-Identifier: Apache-2.0
internal import Synchronization
internal import TransferModel

/// A cache of the numbers of saved classes of traits, used while a change is prepared outside the connection's queue.
///
/// A number stays valid as long as the database is open, even if the row of the class was removed in the meantime.
final class TraitClassCache: Sendable {
    /// A dictionary key that hashes only the most selective traits. Hashing all traits costs more than the rest of the
    /// lookup.
    private struct Key: Hashable {
        var traits: TransferTraits

        func hash(into hasher: inout Hasher) {
            hasher.combine(traits.host)
            hasher.combine(traits.app)
            hasher.combine(traits.priority)
        }
    }

    /// The maximum number of cached classes. If more would be cached, the cache is cleared and filled again.
    private static let maximumCount = 10_000

    private let numbers = Mutex<[Key: Int64]>([:])

    /// Returns the number of a class; `nil` if the cache does not contain the class.
    func number(of shared: TransferTraits) -> Int64? { numbers.withLock { $0[Key(traits: shared)] } }

    /// Adds classes that are durably saved.
    func insert(_ saved: [TransferTraits: Int64]) {
        numbers.withLock { numbers in
            if numbers.count + saved.count > Self.maximumCount { numbers = [:] }
            for (traits, number) in saved { numbers[Key(traits: traits)] = number }
        }
    }
}
