// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Waits for a free network while the free bytes predicted before the deadline are enough, else takes any network.
///
/// Predicted are the time left × the share of time with a free network over the last contacts × the rate of one. Without
/// a contact to learn from nothing is predicted, and it goes at once. Without a deadline it waits; with an unknown size,
/// until the deadline. What was learned moves its dates, so this is no ``StagedPolicy``.
///
/// Source: Balasubramanian, Mahajan, Venkataramani, "Augmenting Mobile 3G Using WiFi", MobiSys 2010: a prediction from
/// what was met so far decides whether waiting pays within the tolerated delay (its abstract), and c is its
/// "conservative quotient", from zero up, where less waits more (lecture notes on it, hmcl.mju.ac.kr). Not checked
/// against the source: the formula, the 8 contacts, and going at once without any.
public struct WifflerPolicy: Policy, Hashable {
    /// How many times the remaining bytes must be predicted. Default 1.
    public var caution: Double
    /// How many contacts the prediction looks back at, at most ``ContactHistory/limit``. Default 8.
    public var contacts: Int
    /// Bytes a second on a free network. Default 2 500 000, the lab's.
    public var rate: Double
    /// What to make of a link whose price nobody knows.
    public var unknownMetered: UnknownMeteredRule

    /// The rule.
    public init(
        caution: Double = 1, contacts: Int = 8, rate: Double = 2_500_000,
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.caution = caution
        self.contacts = contacts
        self.rate = rate
        self.unknownMetered = unknownMetered
    }

    /// Says whether the network is free, or waiting for one too uncertain.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let price = subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
        guard let deadline = subject.traits.constraints.deadline?.date else { return price }
        guard subject.bytesTotal != nil else { return price.until(deadline, in: context) }
        let share = context.history.contacts.share(ofLast: contacts) ?? 0
        guard share > 0, rate > 0 else { return .run(relyingOn: [], lookAgain: nil) }
        // The prediction falls short from the moment on at which the time left is the need over the share.
        var atFreeRate = subject
        atFreeRate.rate = nil
        atFreeRate.start?.rate = nil
        let latest = atFreeRate.latestStart(before: deadline, safety: caution / share, assumedRate: rate)
        guard let latest else { return .run(relyingOn: [], lookAgain: nil) }
        return price.until(latest, in: context)
    }

    static let entry = PolicyCatalog.Entry(
        name: "wiffler", summary: "unmetered while enough free bytes are predicted before the deadline, else any",
        parameters: [
            .init("c", "how many times the remaining bytes must be predicted", default: 1, in: 0...1000),
            .init(
                "n", "how many free networks of the past the prediction looks at", default: 8,
                in: 1...Double(ContactHistory.limit), isWhole: true),
            .init("rate", "rate on a free network", unit: "bytes/s", default: 2_500_000, in: 1...1e12),
        ]
    ) { WifflerPolicy(caution: $0["c"], contacts: Int($0["n"]), rate: $0["rate"]) }
}
