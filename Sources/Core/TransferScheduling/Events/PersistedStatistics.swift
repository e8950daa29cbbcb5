// SPDX-License-Identifier: Apache-2.0
public import TransferModel
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
    /// The reports about deadlines of unfinished transfers, by transfer.
    public var reportedDeadlines: [TransferID: DeadlineState] = [:]

    /// The ends of the waits that servers requested, by server.
    public var serverWaits: [String: WallTime] = [:]

    /// Creates empty statistics.
    public init() {}

    private enum CodingKeys: String, CodingKey {
        case history, limiters, budgets, typicalRate, reportedDeadlines, serverWaits
    }

    /// Decodes the stored form. A part that is missing because an earlier version wrote the data is empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        history = try container.decodeIfPresent(PolicyHistory.self, forKey: .history) ?? history
        limiters =
            try container.decodeIfPresent([String: RelaunchLimiter.Record].self, forKey: .limiters) ?? limiters
        budgets = try container.decodeIfPresent(ByteBudgetRegistry.self, forKey: .budgets) ?? budgets
        typicalRate = try container.decodeIfPresent(Int64.self, forKey: .typicalRate)
        serverWaits = try container.decodeIfPresent([String: WallTime].self, forKey: .serverWaits) ?? serverWaits
        let reported = try container.decodeIfPresent([String: DeadlineState].self, forKey: .reportedDeadlines) ?? [:]
        for (number, state) in reported { Int64(number).map { reportedDeadlines[TransferID($0)] = state } }
    }

    /// Encodes the statistics. Reports about deadlines and waits are left out if there are none.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(history, forKey: .history)
        try container.encode(limiters, forKey: .limiters)
        try container.encode(budgets, forKey: .budgets)
        try container.encodeIfPresent(typicalRate, forKey: .typicalRate)
        if !serverWaits.isEmpty { try container.encode(serverWaits, forKey: .serverWaits) }
        guard !reportedDeadlines.isEmpty else { return }
        let reported = Dictionary(uniqueKeysWithValues: reportedDeadlines.map { ("\($0.key.rawValue)", $0.value) })
        try container.encode(reported, forKey: .reportedDeadlines)
    }
}
