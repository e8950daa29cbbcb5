// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The seeds of a random test, which the environment can change.
public enum RandomRuns {
    /// The seed to replay, from the message of a failure: `TRANSFER_SEED`.
    public static let replayed = environment("TRANSFER_SEED")

    /// A factor for the number of runs: `TRANSFER_RANDOM_RUNS`, 1 by default. `.ci/nightly` searches for longer than a
    /// change can wait.
    public static let factor = max(environment("TRANSFER_RANDOM_RUNS") ?? 1, 1)

    /// Returns the seeds of a test with a number of runs.
    ///
    /// - Parameter first: The first seed unless the test searches, for a test whose failure must point to a change and
    ///   not to chance. `nil` chooses a random seed.
    public static func seeds(_ count: UInt64, from first: UInt64? = nil) -> Range<UInt64> {
        if let replayed { return replayed..<replayed + 1 }
        let base = (factor == 1 ? first : nil) ?? UInt64.random(in: 0..<1 << 48)
        return base..<base + count * factor
    }

    private static func environment(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
}
