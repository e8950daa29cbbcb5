// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy

extension TransferTraits {
    /// The traits as `key=value` words, each after a space. Default values are omitted.
    var words: String {
        var words = ""
        func add(_ key: String, _ value: String?) {
            if let value { words += " \(key)=\(value)" }
        }
        func date(_ date: WallTime?) -> String? { date.map { LogLine.text($0) } }
        add("kind", kind == .normal ? nil : kind.rawValue)
        add("priority", priority == 500 ? nil : "\(priority)")
        add("host", host == "h" ? nil : host)
        add("app", app == "a" ? nil : app)
        add("session", session)
        add("hostSlots", slotsPerHost.map { "\($0)" })
        add("loopback", isLoopback ? "yes" : nil)
        add("background", isFromBackground == true ? "yes" : nil)
        add("size", expectedBytesToReceive.map { "\($0)" })
        add("attempts", maximumAttempts.map { "\($0)" })
        add("expires", date(expires))
        add("submitted", date(submitted))
        add("notBefore", date(constraints.notBefore?.date))
        add("deadline", date(constraints.deadline?.date))
        switch constraints.power {
        case .any: break
        case .ac: add("power", "ac")
        case .acOrBattery(let level): add("power", "\(level)")
        }
        if let patience = constraints.patience { add("patience", patience.rawValue) }
        if constraints.metered != .unstated { add("metered", constraints.metered.rawValue) }
        if case .only(let kinds) = constraints.linkKinds {
            add("links", kinds.kinds.map(\.rawValue).joined(separator: "+"))
        }
        add("price", constraints.price.map { "\(Int($0.below))" })
        add("allowed", constraints.connection.allowed?.joined(separator: "+"))
        add(
            "denied", constraints.connection.denied.isEmpty ? nil : constraints.connection.denied.joined(separator: "+")
        )
        add("roaming", constraints.connection.allowsRoaming ? nil : "no")
        add("window", constraints.window?.windows.map { "\($0.start)-\($0.end)" }.joined(separator: "+"))
        return words
    }

    init(_ words: LogLine) {
        var constraints = Constraints()
        switch words["power"] {
        case "ac"?: constraints.power = .ac
        case let level?: constraints.power = .acOrBattery(above: Int(level) ?? 0)
        case nil: break
        }
        constraints.price = words.number("price").flatMap { PriceConstraint(below: Double($0)) }
        constraints.patience = words["patience"].flatMap { Patience(rawValue: $0) }
        if let metered = words["metered"] { constraints.metered = MeteredConstraint(rawValue: metered) ?? .unstated }
        if let links = words.list("links") {
            constraints.linkKinds = .only(LinkKinds(links.compactMap(LinkKind.init(rawValue:)).map { LinkKinds($0) }))
        }
        constraints.connection = ConnectionConstraint(
            allowed: words.list("allowed").map { Set($0) }, denied: Set(words.list("denied") ?? []),
            allowsRoaming: words["roaming"] != "no")
        constraints.notBefore = words.date("notBefore").map { NotBeforeConstraint($0) }
        constraints.deadline = words.date("deadline").map { DeadlineConstraint($0) }
        if let windows = words.list("window") {
            constraints.window = WindowConstraint(
                windows: windows.compactMap { window in
                    let ends = window.split(separator: "-").compactMap { Int64($0) }
                    return ends.count == 2 ? .init(start: ends[0], end: ends[1]) : nil
                })
        }
        self.init(
            kind: words["kind"].flatMap(WorkKind.init(rawValue:)) ?? .normal, constraints: constraints,
            priority: words["priority"].flatMap { Int($0) } ?? 500, host: words["host"] ?? "h",
            app: words["app"] ?? "a", isLoopback: words["loopback"] != nil,
            expectedBytesToReceive: words.number("size"), maximumAttempts: words["attempts"].flatMap { Int($0) },
            submitted: words.date("submitted") ?? PropertyRun.start.wall, session: words["session"],
            slotsPerHost: words["hostSlots"].flatMap { Int($0) }, isFromBackground: words["background"] != nil,
            expires: words.date("expires"))
    }
}
