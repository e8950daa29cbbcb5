// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A policy that waits for an unmetered network while enough free bytes are predicted before the deadline.
///
/// If the prediction falls short, the policy accepts any network. The prediction is a product of three factors: the
/// time left, the recent share of time with an unmetered network, and the rate of such a network. Without a past
/// contact, the prediction is zero and work runs immediately. A transfer without a deadline waits. Without an estimate
/// by the engine, a transfer of unknown size waits until its deadline.
///
/// New observations move the policy's dates, so this policy is not a ``PhasedPolicy``.
///
/// ```swift
/// WifflerPolicy(caution: 2)  // "wiffler:c=2" in the catalog
/// ```
///
/// Source: Balasubramanian, Mahajan, Venkataramani, "Augmenting Mobile 3G Using WiFi", MobiSys 2010. A prediction from
/// past contacts decides whether waiting pays off within the tolerated delay (from its abstract). c is its
/// "conservative quotient", from zero up; smaller values wait more (lecture notes on it, hmcl.mju.ac.kr). Not checked
/// against the source: the formula, the 8 contacts, and running immediately without any contact.
public struct WifflerPolicy: Policy, Hashable {
    /// The factor by which the prediction must exceed the remaining bytes. The default is 1.
    public var caution: Double
    /// The number of past contacts in the prediction, at most ``ContactHistory/limit``. The default is 8.
    public var contacts: Int
    /// The rate of an unmetered network, in bytes per second. The default is 2 500 000, as in `transferlab`.
    public var rate: Double
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates a policy from its settings. The properties document their defaults.
    public init(
        caution: Double = 1, contacts: Int = 8, rate: Double = 2_500_000,
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.caution = caution
        self.contacts = contacts
        self.rate = rate
        self.unknownMetered = unknownMetered
    }

    /// Returns permission to run on an unmetered network, or if waiting for one is too uncertain; otherwise, a wait.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let price = subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
        guard let deadline = subject.traits.constraints.deadline?.date else { return price }
        guard subject.bytesTotal != nil || subject.estimate != nil else { return price.until(deadline, in: context) }
        let share = context.history.contacts.share(ofLast: contacts) ?? 0
        guard share > 0, rate > 0 else { return .run(relyingOn: [], reevaluateAt: nil) }
        // The prediction falls short once the time left is at most the need divided by the share.
        var atUnmeteredRate = subject
        atUnmeteredRate.rate = nil
        atUnmeteredRate.start?.rate = nil
        atUnmeteredRate.start?.need = nil
        atUnmeteredRate.bytesTotal = subject.bytesTotal ?? subject.estimate?.bytes
        atUnmeteredRate.estimate = nil
        let latest = atUnmeteredRate.latestStart(before: deadline, safety: caution / share, assumedRate: rate)
        guard let latest else { return .run(relyingOn: [], reevaluateAt: nil) }
        return price.until(latest, in: context)
    }

    static let entry = PolicyCatalog.Entry(
        name: "wiffler", summary: "unmetered while enough data is predicted before the deadline, else any network",
        parameters: [
            .init("c", "factor by which the prediction must exceed the remaining bytes", default: 1, in: 0...1000),
            .init(
                "n", "past unmetered connections that the prediction uses", default: 8,
                in: 1...Double(ContactHistory.limit), isWhole: true),
            .init("rate", "rate of an unmetered network", unit: "bytes/s", default: 2_500_000, in: 1...1e12),
        ]
    ) { WifflerPolicy(caution: $0["c"], contacts: Int($0["n"]), rate: $0["rate"]) }
}
