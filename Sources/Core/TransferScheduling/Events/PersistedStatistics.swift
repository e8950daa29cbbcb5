// SPDX-License-Identifier: Apache-2.0
public import TransferPolicy

/// The statistics and counters of a scheduler that must survive a restart.
///
/// The value is small. The owner of the scheduler stores it.
public struct PersistedStatistics: Hashable, Sendable, Codable {
    /// The observed history of this machine.
    public var history = PolicyHistory()
    /// The relaunch limiters of apps whose delay is not 0, by app.
    public var limiters: [String: RelaunchLimiter.Record] = [:]
    /// The budgets of metered bytes, including the bytes already spent.
    public var budgets = ByteBudgetRegistry()
    /// The typical rate of transfers, in bytes per second; `nil` until a transfer has run.
    public var typicalRate: Int64?

    /// Creates empty statistics.
    public init() {}

    private enum CodingKeys: String, CodingKey { case history, limiters, budgets, typicalRate }

    /// Decodes the stored form. A part that is missing because an earlier version wrote the data is empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        history = try container.decodeIfPresent(PolicyHistory.self, forKey: .history) ?? history
        limiters =
            try container.decodeIfPresent([String: RelaunchLimiter.Record].self, forKey: .limiters) ?? limiters
        budgets = try container.decodeIfPresent(ByteBudgetRegistry.self, forKey: .budgets) ?? budgets
        typicalRate = try container.decodeIfPresent(Int64.self, forKey: .typicalRate)
    }
}
