// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ToolSupport
import TransferModel

/// A parser for `--when ac,unmetered,wifi,ethernet,battery>50,price<0.2,call=no`. Kinds of network are combined with "or", and
/// everything else with "and".
struct WhenExpression {
    /// The required power source.
    var power = PowerConstraint.any
    /// The permitted kinds of link.
    var linkKinds = LinkKindConstraint.any
    /// The required metered state of the network.
    var metered = MeteredConstraint.unstated

    /// The required price of energy.
    var price: PriceConstraint?
    /// The required values of the user's conditions.
    var custom: [CustomConstraint] = []

    /// The words, as far as they are complete.
    private static let words = [
        "ac", "battery>", "price<", "unmetered", "ethernet", "wifi", "cellular", "bluetooth", "usb-tether",
    ]

    /// A completion of the last word of a list.
    static let completion = CompletionKind.custom { _, _, prefix in
        let start = prefix.lastIndex(of: ",").map { prefix[...$0] } ?? ""
        return words.map { String(start) + $0 }.filter { $0.hasPrefix(prefix) }
    }

    /// Parses `text`.
    ///
    /// - Throws: `UsageError` that names the wrong word and the known words.
    init(_ text: String) throws {
        var kinds: LinkKinds = []
        var level: Int?
        var needsAC = false
        for word in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            if word == "ac" {
                needsAC = true
            } else if word == "unmetered" {
                metered = .unmetered
            } else if word.hasPrefix("battery>") {
                guard let percent = Int(word.dropFirst(8)), (0..<100).contains(percent) else {
                    throw UsageError(
                        "not a valid battery level: --when '\(word)'; use a percentage from 0 to 99 after 'battery>'")
                }
                level = max(level ?? 0, percent)
            } else if word.hasPrefix("price<") {
                let text = word.dropFirst(6)
                guard text.allSatisfy({ "+-.0123456789eE".contains($0) }), let number = Double(text),
                    let limit = PriceConstraint(below: number)
                else {
                    throw UsageError(
                        "not a valid price: --when '\(word)'; use a number in the unit of your price curve after 'price<'"
                    )
                }
                price = price.map { $0.below < limit.below ? $0 : limit } ?? limit
            } else if let constraint = CustomConstraint(word) {
                guard !custom.contains(where: { $0.name == constraint.name }) else {
                    throw UsageError(
                        "--when '\(word)': '\(constraint.name)' is named twice; join values as in "
                            + "\(constraint.name)=VALUE/VALUE")
                }
                custom.require(constraint)
            } else if let kind = LinkKind(rawValue: word), kind != .unknown, kind != .other {
                kinds.insert(LinkKinds(kind))
            } else {
                throw UsageError(
                    "unknown condition: --when '\(word)'\(Suggestion.text(for: word, in: Self.words)); use ac, battery>N, price<N, unmetered, ethernet, wifi, cellular, bluetooth, "
                        + "usb-tether, or NAME=VALUE of your own conditions")
            }
        }
        // A battery level alone means "AC, or a battery above that level". Together with `ac`, only AC remains.
        if needsAC { power = .ac } else if let level { power = .acOrBattery(above: level) }
        if !kinds.isEmpty { linkKinds = .only(kinds) }
    }
}
