// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

// The words of a line that describe a transfer, its stored state, and the machine.

extension Timeline {
    func traits(_ words: Words) -> TransferTraits {
        func date(_ key: String) -> WallTime? {
            words[key].flatMap { Self.duration($0[...]) }.map { Machine.start.wall.advanced(by: $0) }
        }
        var constraints = Constraints()
        switch words["power"] {
        case "ac"?: constraints.power = .ac
        case let level?: constraints.power = .acOrBattery(above: Int(level) ?? 0)
        case nil: break
        }
        constraints.patience = words["patience"].flatMap { Patience(rawValue: $0) }
        if let metered = words["metered"] { constraints.metered = MeteredConstraint(rawValue: metered) ?? .unmetered }
        if let links = words["links"] {
            let kinds = links.split(separator: "+").compactMap { LinkKind(rawValue: String($0)) }
            constraints.linkKinds = .only(LinkKinds(kinds.map { LinkKinds($0) }))
        }
        constraints.connection = ConnectionConstraint(
            allowed: words["allowed"].map { [$0] }, denied: words["denied"].map { [$0] } ?? [],
            allowsRoaming: !words.contains("noRoaming"))
        constraints.notBefore = date("notBefore").map { NotBeforeConstraint($0) }
        constraints.deadline = date("deadline").map { DeadlineConstraint($0) }
        constraints.price = words["price"].flatMap { Double($0) }.flatMap { PriceConstraint(below: $0) }
        constraints.custom = words["requires"].flatMap { CustomConstraint($0) }.map { [$0] } ?? []
        if let window = words["window"] {
            let ends = window.split(separator: "-").compactMap { Int64($0) }
            constraints.window = WindowConstraint(windows: [.init(start: ends[0], end: ends[1])])
        }
        return TransferTraits(
            kind: WorkKind(rawValue: words.word(2)) ?? .discretionary, constraints: constraints,
            priority: words["priority"].flatMap { Int($0) } ?? 500, host: words["host"] ?? "host \(words.word(1))",
            app: words["app"] ?? "", isLoopback: words.contains("loopback"),
            expectedBytesToReceive: words["size"].flatMap { Int64($0) },
            maximumAttempts: words["attempts"].flatMap { Int($0) }, submitted: date("submitted") ?? machine.now.wall,
            session: words["session"], slotsPerHost: words["hostSlots"].flatMap { Int($0) },
            isFromBackground: words.contains("background"), expires: date("expires"))
    }

    func recovered(_ words: Words) -> RecoveredState {
        let retry = words["failures"].flatMap { Int($0) }.map { failures in
            RetryState(
                attempts: failures, cause: .connection,
                until: Machine.start.wall.advanced(by: words["until"].flatMap { Self.duration($0[...]) } ?? .zero))
        }
        return RecoveredState(
            bytes: words["bytes"].flatMap { Int64($0) } ?? 0, retry: retry, isPaused: words.contains("paused"))
    }

    static func setFact(_ conditions: inout Conditions, _ key: String, _ value: String, at now: ClockReading?) -> Bool {
        func set<Value>(_ fact: WritableKeyPath<Conditions, Fact<Value>>, _ new: Value?) -> Bool {
            guard let new else { return false }
            if let now { conditions.observe(fact, new, at: now) } else { conditions[keyPath: fact].value = new }
            return true
        }
        switch key {
        case "power": return set(\.power, PowerSource(rawValue: value))
        case "battery": return set(\.battery, BatteryState(level: Int(value)))
        case "network": return set(\.network, Reachability(rawValue: value))
        case "link": return set(\.linkKind, LinkKind(rawValue: value))
        case "metered": return set(\.metered, Metered(rawValue: value))
        case "connection": return set(\.connection, Optional(value))
        case "roaming": return set(\.roaming, Roaming(rawValue: value))
        case "custom":  // custom call=yes
            guard let constraint = CustomConstraint(value) else { return false }
            conditions.observe(constraint.name, constraint.values[0], at: now ?? Machine.start)
            return true
        case "sleep": return set(\.sleep, SleepState(rawValue: value))
        case "prices":  // prices 0-3600:3+3600-7200:1, in seconds from the start; none for no prices
            let segments = value.split(separator: "+").compactMap { piece -> PriceCurve.Segment? in
                let numbers = piece.split { $0 == "-" || $0 == ":" }.compactMap { Int64($0) }
                guard numbers.count == 3 else { return nil }
                let dates = numbers.prefix(2).map { Machine.start.wall.advanced(by: .seconds($0)) }
                return .init(start: dates[0], end: dates[1], price: Double(numbers[2]))
            }
            conditions.priceCurve.source = .priceCurve
            return set(\.priceCurve, .some(value == "none" ? nil : PriceCurve(segments: segments)))
        case "everything":
            let isHeld = value == "held"
            conditions.hold.source = .user
            if value.hasPrefix("user:"), let seconds = Int64(value.dropFirst(5)) {
                let end = Machine.start.wall.advanced(by: .seconds(seconds))
                return set(\.hold, .some(MachineHold(by: MachineHold.user, why: "", until: end)))
            }
            return set(\.hold, .some(isHeld ? MachineHold(by: "you", why: "meeting") : nil))
        default: return false
        }
    }
}
