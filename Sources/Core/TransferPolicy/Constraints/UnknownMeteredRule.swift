// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The rule for a link whose price no source reports.
///
/// ```swift
/// // Only Ethernet counts as unmetered if no source reports the price.
/// let cautious = UnknownMeteredRule(unmeteredKinds: [LinkKinds(.ethernet)])
/// ```
public struct UnknownMeteredRule: Hashable, Sendable {
    /// The kinds of links that count as unmetered unless a source reports otherwise. The default is Ethernet and
    /// Wi-Fi.
    public var unmeteredKinds: LinkKinds

    /// Creates a rule. By default, unknown Ethernet and Wi-Fi links count as unmetered.
    public init(unmeteredKinds: LinkKinds = [LinkKinds(.ethernet), LinkKinds(.wifi)]) {
        self.unmeteredKinds = unmeteredKinds
    }

    /// Returns `nil` if bytes are free; otherwise, whether the price is only a guess.
    public func isMetered(_ conditions: Conditions) -> Bool? {
        switch conditions.metered.value {
        case .yes: false
        case .guessYes: true
        case .no, .guessNo: nil
        case .unknown: unmeteredKinds.contains(LinkKinds(conditions.linkKind.value)) ? nil : true
        }
    }
}
