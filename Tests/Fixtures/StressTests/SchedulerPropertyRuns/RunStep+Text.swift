// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy

// Conversion between steps and lines of text.

extension RunStep {
    package var text: String {
        switch self {
        case .pass(let time): return "pass \(LogLine.text(time))"
        case .wallStep(let time): return "clock \(LogLine.text(time))"
        case .probe: return "probe"
        case .submit(let id, let traits): return "submit \(id)\(traits.words)"
        case .change(let id, let traits): return "change \(id)\(traits.words)"
        case .act(let act, let id): return "\(act.rawValue) \(id)"
        case .need(let id, let need): return "need \(id) \(need.rawValue)"
        case .progress(let id, let bytes, let total):
            return "progress \(id) bytes=\(bytes)" + (total.map { " total=\($0)" } ?? "")
        case .fail(let id, let cause, let retryAfter):
            return "fail \(id) cause=\(Self.text(cause))" + (retryAfter.map { " after=\(LogLine.text($0))" } ?? "")
        case .runOutOfSpace(let id, let needed): return "fill \(id)" + (needed.map { " needed=\($0)" } ?? "")
        case .fact(let change): return "fact \(change.text)"
        case .app(let act, let app): return "app \(act.rawValue) \(app)"
        case .budgets(let lines):
            return lines.reduce("budgets") { text, line in
                text + " \(line.isOfApp ? "app" : "connection"):\(line.name):\(line.limit):\(line.day)"
            }
        case .room(let room): return "room \(room.map { "\($0)" } ?? "unanswered")"
        case .confirmsStops(let confirms): return "stops \(confirms ? "answered" : "unanswered")"
        case .policy(let name): return "policy name=\(name)"
        case .restart(let isReboot): return isReboot ? "reboot" : "restart"
        case .finishAll: return "drain"
        }
    }

    /// Creates the step that a line describes. Returns `nil` for a line without a valid step.
    package init?(_ line: String) {
        let words = LogLine(line)
        let value = words.word(1)
        switch words.word(0) {
        case "pass": self = .pass(LogLine.nanoseconds(value) ?? 0)
        case "clock": self = .wallStep(LogLine.nanoseconds(value) ?? 0)
        case "probe": self = .probe
        case "submit": self = .submit(words.id, TransferTraits(words))
        case "change": self = .change(words.id, TransferTraits(words))
        case "need": self = .need(words.id, AppNeed(rawValue: words.word(2)) ?? .authentication)
        case "progress":
            self = .progress(words.id, bytes: words.number("bytes") ?? 0, total: words.number("total"))
        case "fail":
            self = .fail(words.id, Self.cause(words["cause"] ?? ""), retryAfter: words.time("after"))
        case "fill": self = .runOutOfSpace(words.id, needed: words.number("needed"))
        case "fact":
            guard let change = FactChange(words) else { return nil }
            self = .fact(change)
        case "app": self = .app(AppAct(rawValue: value) ?? .relaunched, words.word(2))
        case "budgets": self = .budgets(words.words.dropFirst().compactMap(BudgetLine.init(text:)))
        case "room": self = .room(Int64(value))
        case "stops": self = .confirmsStops(value == "answered")
        case "policy": self = .policy(words["name"] ?? "default")
        case "restart": self = .restart(isReboot: false)
        case "reboot": self = .restart(isReboot: true)
        case "drain": self = .finishAll
        default:
            guard let act = Act(rawValue: words.word(0)) else { return nil }
            self = .act(act, words.id)
        }
    }

    private static func text(_ cause: FailureCause) -> String {
        if case .status(let status) = cause { return "\(status)" }
        return cause.code
    }

    static let causes: [FailureCause] = [
        .connection, .timeout, .nameResolution, .executorLost, .folderUnavailable, .checksumMismatch, .certificate,
        .status(503),
    ]

    private static func cause(_ text: String) -> FailureCause {
        if let status = Int(text) { return .status(status) }
        return causes.first { $0.code == text } ?? .timeout
    }
}

extension RunStep.BudgetLine {
    fileprivate init?(text: String) {
        let fields = text.split(separator: ":").map(String.init)
        guard fields.count == 4, let limit = Int64(fields[2]), let day = Int(fields[3]) else { return nil }
        self.init(isOfApp: fields[0] == "app", name: fields[1], limit: limit, day: day)
    }
}

extension RunStep.FactChange {
    fileprivate var text: String {
        switch self {
        case .power(let value): "power \(value.rawValue)"
        case .battery(let level): "battery \(level.map { "\($0)" } ?? "none")"
        case .profile(let value): "profile \(value.rawValue)"
        case .network(let value): "network \(value.rawValue)"
        case .link(let value): "link \(value.rawValue)"
        case .metered(let value): "metered \(value.rawValue)"
        case .roaming(let value): "roaming \(value.rawValue)"
        case .connection(let name): "connection \(name ?? "none")"
        case .sleep(let value): "sleep \(value.rawValue)"
        case .zone(let offset, let from, let then):
            "zone \(offset)" + (from.map { " from=\(LogLine.text($0)) then=\(then)" } ?? "")
        case .prices(let prices, let from, let each):
            "prices of=\(prices.map { "\($0)" }.joined(separator: "+")) from=\(LogLine.text(from)) each=\(each)"
        }
    }

    fileprivate init?(_ words: LogLine) {
        let value = words.word(2)
        switch words.word(1) {
        case "power": self = .power(PowerSource(rawValue: value) ?? .unknown)
        case "battery": self = .battery(Int(value))
        case "profile": self = .profile(PowerProfile(rawValue: value) ?? .unknown)
        case "network": self = .network(Reachability(rawValue: value) ?? .unknown)
        case "link": self = .link(LinkKind(rawValue: value) ?? .unknown)
        case "metered": self = .metered(Metered(rawValue: value) ?? .unknown)
        case "roaming": self = .roaming(Roaming(rawValue: value) ?? .unknown)
        case "connection": self = .connection(value == "none" ? nil : value)
        case "sleep": self = .sleep(SleepState(rawValue: value) ?? .awake)
        case "zone":
            self = .zone(Int64(value) ?? 0, from: words.date("from"), then: words.number("then") ?? 0)
        case "prices":
            self = .prices(
                (words.list("of") ?? []).compactMap { Int($0) }, from: words.date("from") ?? PropertyRun.start.wall,
                each: words.number("each") ?? 1)
        default: return nil
        }
    }
}
