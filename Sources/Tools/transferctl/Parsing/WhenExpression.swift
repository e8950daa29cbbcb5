// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferModel

/// A parser for `--when ac,unmetered,wifi,ethernet,battery>50`. Kinds of network are joined by "or", and everything
/// else by "and".
struct WhenExpression {
    /// The required power source.
    var power = PowerConstraint.any
    /// The permitted kinds of link.
    var linkKinds = LinkKindConstraint.any
    /// Whether the network must be unmetered.
    var metered = MeteredConstraint.unstated

    /// Parses `text`.
    ///
    /// - Throws: `UsageError` that names the wrong word and the known words.
    init(_ text: String) throws {
        var kinds: LinkKinds = []
        var level: Int?
        var needsMains = false
        for word in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            if word == "ac" {
                needsMains = true
            } else if word == "unmetered" {
                metered = .unmetered
            } else if word.hasPrefix("battery>") {
                guard let percent = Int(word.dropFirst(8)), (0..<100).contains(percent) else {
                    throw UsageError("--when '\(word)': the level after 'battery>' is a percentage from 0 to 99")
                }
                level = max(level ?? 0, percent)
            } else if let kind = LinkKind(rawValue: word), kind != .unknown, kind != .other {
                kinds.insert(LinkKinds(kind))
            } else {
                throw UsageError(
                    "--when '\(word)' is no condition; there are ac, battery>N, unmetered, ethernet, wifi, cellular, "
                        + "bluetooth, usb-tether")
            }
        }
        // A battery level alone means "AC, or a battery above that level". Together with `ac`, only AC remains.
        if needsMains { power = .ac } else if let level { power = .acOrBattery(above: level) }
        if !kinds.isEmpty { linkKinds = .only(kinds) }
    }
}
