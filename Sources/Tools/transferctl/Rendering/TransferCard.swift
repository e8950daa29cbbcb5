// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferBusProtocol
import TransferModel
import TransferScheduling

/// All details of a transfer as lines of text.
struct TransferCard {
    private let fields: [String: VariantValue]

    /// Creates a card from the response to the bus method `Show`.
    init(_ fields: [String: VariantValue]) { self.fields = fields }

    /// Returns the lines, at most `width` columns wide. `width` should be at least 40.
    func lines(width: Int) -> [String] {
        guard let details = try? TransferDetails(fields) else {
            // The response of a later version is shown raw instead of failing.
            return fields.keys.sorted().map {
                Formatting.fitted("\($0)  \(fields[$0].map { "\($0)" } ?? "")", width: width)
            }
        }
        let status = details.status
        let entries = Self.entries(details)
        let labels = (entries.map(\.label.count).max() ?? 0) + 2
        let head = Formatting.fitted("\(status.id)  \(status.name)", width: width)
        return [head]
            + entries.flatMap { label, text in
                Formatting.wrapped(text, width: max(20, width - labels - 2)).enumerated().map { index, line in
                    let start = index == 0 ? label : ""
                    return "  " + start + String(repeating: " ", count: labels - start.count) + line
                }
            }
    }

    /// Returns the conditions and the priority of a transfer in one line.
    static func summary(of details: TransferDetails) -> String {
        "conditions: \(requirements(of: details)); priority: \(priority(of: details.status))"
    }

    private static func priority(of status: TransferStatus) -> String {
        "\(WhyCommand.words(status.kind.rawValue)), \(status.priority)"
    }

    private static func entries(_ details: TransferDetails) -> [(label: String, text: String)] {
        let (status, directory) = (details.status, details.directory)
        let detail = status.error ?? status.sentence
        let location = status.path ?? directory
        let session = status.session.map { ", session \($0)" } ?? ""
        var entries = [("state", status.state.displayName + (detail.map { ": \($0)" } ?? ""))]
        entries.append((status.isUpload ? "to" : "from", status.url))
        if let location { entries.append((status.isUpload ? "file" : "to", location)) }
        entries.append(("done", done(status)))
        if let code = status.status { entries.append(("server status", "\(code)")) }
        if !status.state.isEnded { entries.append(("conditions", requirements(of: details))) }
        if let state = status.deadlineState, !status.state.isEnded {
            entries.append(("deadline", state == .missed ? "missed" : "at risk"))
        }
        entries.append(("priority", priority(of: status)))
        let date = WatchConditions.time(status.submitted)
        let origin = status.app == "person" ? " with transferctl" : status.app.isEmpty ? "" : " by \(status.app)"
        entries.append(("added", "\(date)\(origin)\(session)"))
        if status.attempt > 0 { entries.append(("attempt", "\(status.attempt)")) }
        if let program = details.onComplete { entries.append(("then runs", program.joined(separator: " "))) }
        return entries
    }

    private static func done(_ status: TransferStatus) -> String {
        let bytes = Formatting.bytes(status.bytes)
        let rate = status.state == .running ? status.speed.map { ", \($0)" } ?? "" : ""
        guard status.state != .finished, let total = status.total, total > 0 else { return bytes + rate }
        return "\(bytes) of \(Formatting.bytes(total)) (\(Int(Double(status.bytes) / Double(total) * 100)) %)" + rate
    }

    /// Describes in words what a transfer waits for.
    private static func requirements(of details: TransferDetails) -> String {
        let own = details.constraints?.constraints.words ?? []
        guard details.status.kind == .discretionary else {
            return own.isEmpty ? "none; starts at once" : own.joined(separator: "; ")
        }
        let policy = details.policy.map { "those of the policy \($0)" } ?? "those of the daemon's policy"
        return ([policy] + own).joined(separator: "; ")
    }
}

extension Constraints {
    /// A phrase for each requirement.
    fileprivate var words: [String] {
        var words: [String] = []
        switch power {
        case .any: break
        case .ac: words.append("AC power")
        case .acOrBattery(let above): words.append("AC power or a battery above \(above) %")
        }
        if case .only(let kinds) = linkKinds { words.append(kinds.kinds.map(\.displayName).joined(separator: " or ")) }
        switch metered {
        case .unstated: break
        case .allowed: words.append("metered networks allowed")
        case .unmetered: words.append("an unmetered network")
        }
        if let price { words.append("a price below \(price.below)") }
        words += custom.map { "\($0.name) is \($0.values.joined(separator: " or "))" }
        if let patience { words.append("\(patience.rawValue) patience") }
        if let time = notBefore.map({ WatchConditions.time($0.date) }) { words.append("not before \(time)") }
        if let time = deadline.map({ WatchConditions.time($0.date) }) { words.append("done by \(time)") }
        if let window { words.append("within \(WindowText.text(window.windows))") }
        if let allowed = connection.allowed { words.append("only on \(allowed.sorted().joined(separator: ", "))") }
        if !connection.denied.isEmpty { words.append("not on \(connection.denied.sorted().joined(separator: ", "))") }
        if !connection.allowsRoaming { words.append("not while roaming") }
        return words
    }
}
