// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension ByteBudget: Codable {
    private enum CodingKeys: String, CodingKey {
        case limit
        case billingDay
        case current
        case previous
    }

    /// Decodes a stored budget.
    ///
    /// - Throws: A decoding error, or `ByteBudgetError` if the numbers cannot belong to a budget.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let current = try container.decode(Period.self, forKey: .current)
        let previous = try container.decodeIfPresent(Period.self, forKey: .previous)
        for period in [current, previous].compactMap(\.self) where period.used < 0 {
            throw ByteBudgetError.negativeBytes(period.used)
        }
        try self.init(
            limit: try container.decode(Int64.self, forKey: .limit),
            billingDay: try container.decode(Int.self, forKey: .billingDay),
            at: WallTime(secondsSinceEpoch: 0), localTime: .utc)
        self.current = current
        self.previous = previous
    }

    /// Encodes the budget together with the bytes already used.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(limit, forKey: .limit)
        try container.encode(billingDay, forKey: .billingDay)
        try container.encode(current, forKey: .current)
        try container.encodeIfPresent(previous, forKey: .previous)
    }
}
