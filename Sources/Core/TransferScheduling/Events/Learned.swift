// SPDX-License-Identifier: Apache-2.0
public import TransferPolicy

/// What a scheduler has learned and counted that a restart must not lose; small, and kept by whoever drives it.
public struct Learned: Hashable, Sendable, Codable {
    /// What this machine has shown.
    public var history = PolicyHistory()
    /// The relaunch limiters of apps whose delay is not 0, by app.
    public var limiters: [String: RelaunchLimiter.Record] = [:]
    /// Budgets of metered bytes, with what is spent.
    public var budgets = ByteBudgetBook()
    /// The rate that transfers usually reach, in bytes a second; nil before any ran.
    public var typicalRate: Int64?

    /// Nothing learned yet.
    public init() {}

    private enum CodingKeys: String, CodingKey { case history, limiters, budgets, typicalRate }

    /// From the stored form; a part that an earlier version did not have is empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        history = try container.decodeIfPresent(PolicyHistory.self, forKey: .history) ?? history
        limiters =
            try container.decodeIfPresent([String: RelaunchLimiter.Record].self, forKey: .limiters) ?? limiters
        budgets = try container.decodeIfPresent(ByteBudgetBook.self, forKey: .budgets) ?? budgets
        typicalRate = try container.decodeIfPresent(Int64.self, forKey: .typicalRate)
    }
}
