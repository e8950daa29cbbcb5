// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The rule for a link when no source says whether it is metered.
public struct UnknownMeteredRule: Hashable, Sendable {
    /// The kinds of link that count as free when nobody says otherwise. Default: ethernet and Wi-Fi.
    public var freeKinds: LinkKinds

    /// A rule.
    public init(freeKinds: LinkKinds = [LinkKinds(.ethernet), LinkKinds(.wifi)]) { self.freeKinds = freeKinds }

    /// Nil when bytes are free; else whether that they cost is only a guess.
    public func isMetered(_ conditions: Conditions) -> Bool? {
        switch conditions.metered.value {
        case .yes: false
        case .guessYes: true
        case .no, .guessNo: nil
        case .unknown: freeKinds.contains(LinkKinds(conditions.linkKind.value)) ? nil : true
        }
    }
}
