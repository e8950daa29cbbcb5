// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferModel

/// Reads `--when ac,unmetered,wifi,ethernet,battery>50`: kinds of network are joined by "or", all else by "and".
struct WhenExpression {
    /// What power is needed.
    var power = PowerConstraint.any
    /// What kinds of link will do.
    var linkKinds = LinkKindConstraint.any
    /// Whether it must be free.
    var metered = MeteredConstraint.unstated

    /// Reads `text`.
    ///
    /// - Throws: `UsageError` that names the word that was wrong and what would be right.
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
        // "AC, or a battery above n" is what a battery level asks for; AND mains leaves mains alone.
        if needsMains { power = .ac } else if let level { power = .acOrBattery(above: level) }
        if !kinds.isEmpty { linkKinds = .only(kinds) }
    }
}
