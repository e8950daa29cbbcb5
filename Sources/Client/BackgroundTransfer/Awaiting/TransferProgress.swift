// SPDX-License-Identifier: Apache-2.0
public import Foundation
internal import TransferModel

/// The progress of a transfer, or of several transfers together.
public struct TransferProgress: Hashable, Sendable {
    /// The number of bytes that are on disk.
    public var bytes: Int64
    /// The number of bytes in total. `nil` while it is unknown.
    public var total: Int64?

    /// Creates a progress.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes that are on disk.
    ///   - total: The number of bytes in total, or `nil` if it is unknown.
    public init(bytes: Int64, total: Int64?) {
        self.bytes = bytes
        self.total = total
    }

    /// The part of the bytes that are on disk, from 0 to 1. `nil` while the total is unknown.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(1, max(0, Double(bytes) / Double($0))) : 1 }
    }
}

/// The reasons why a transfer waits.
///
/// ```swift
/// if let wait = try await transfer.wait() { print(wait) }
/// // on battery since 14:05; run 'transferctl now 12' to start it anyway
/// ```
public struct TransferWait: Hashable, Sendable, CustomStringConvertible {
    /// The reasons as sentences for users, in English.
    public var reasons: [String]
    /// The date at which the transfer is next likely to run, from its own dates or from the conditions of past weeks.
    /// `nil` if no date is known.
    public var expectedStart: Date?
    /// All reasons and remedies in one sentence, as `transferctl why` prints them.
    public var description: String

    init(_ explanation: WaitExplanation) {
        reasons = explanation.reasons.map(\.sentence)
        expectedStart = (explanation.expectedChance ?? explanation.until).map { Date($0) }
        description = explanation.sentence
    }
}
