// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The policy that ships as `default`: a share of the time to a deadline is reserved for AC power, all of it, half, or none,
/// according to the patience of the user.
///
/// The guide *Comparing policies* shows what each patience costs in lateness and battery on recorded days.
///
/// ```swift
/// PatiencePolicy(.relaxed)  // "relaxed" in the catalog
/// ```
public struct PatiencePolicy: TablePolicy, Hashable {
    /// The patience for transfers that do not state their own.
    public var patience: Patience

    /// Creates a policy. The default is `balanced`.
    public init(_ patience: Patience = .balanced) { self.patience = patience }

    /// Returns the rule for a patience.
    public static func rule(for patience: Patience) -> HorizonPolicy {
        switch patience {
        case .relaxed: HorizonPolicy(factor: 0, level: 20, share: 1)
        case .balanced: HorizonPolicy(factor: 0, level: 20, share: 0.5)
        case .prompt: HorizonPolicy(factor: 0, level: 20, maximumWait: .zero)
        }
    }

    /// Returns the table of the rule for the transfer's patience.
    public func table(for traits: TransferTraits, after history: PolicyHistory) -> PolicyTable? {
        Self.rule(for: traits.constraints.patience ?? patience).table(for: traits, after: history)
    }

    /// The longest waits of all rules.
    public var longestWaits: [Duration] { Patience.allCases.map { Self.rule(for: $0).maximumWait } }

    /// The entries for each patience, after the entry of the shipped default.
    static var entries: [PolicyCatalog.Entry] {
        let summaries = [
            Patience.relaxed: "AC power and an unmetered network; battery will do shortly before the deadline",
            .balanced: "AC power and an unmetered network; battery will do after half of the time to the deadline",
            .prompt: "an unmetered network, and AC power until 42 hours before the deadline",
        ]
        let shipped = PolicyCatalog.Entry(name: "default", summary: "the same as 'balanced'") { _ in PatiencePolicy() }
        return [shipped]
            + Patience.allCases.map { patience in
                PolicyCatalog.Entry(name: patience.rawValue, summary: summaries[patience] ?? "") { _ in
                    PatiencePolicy(patience)
                }
            }
    }
}
