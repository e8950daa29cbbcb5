// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferPolicy
import TransferScheduling

/// A scenario as text: what happens when, and what must follow.
///
/// ```
/// given power=battery                      the machine as found at the start (AC, unmetered ethernet where not said)
/// t=0s    submit 1 discretionary           clock to 0 s, then the event
/// expect  1 waits onBattery                all of its reasons, now
/// t=30s   power ac
/// expect  1 starts at 40s                  clock to 40 s; the next thing that happens to 1 is its start, exactly then
/// expect  quiet until 100s                 clock to 100 s; nothing starts, stops or ends before
/// ```
/// See `perform` and `check` for all the words. A line that is not understood is a failure, so is a false expectation.
struct Timeline {
    private let machine: Machine
    /// How much of the machine's log has been accounted for by expectations.
    private var seen = 0

    /// Runs `text` line by line; failures name the line.
    @discardableResult
    static func run(
        _ text: String, configuration: SchedulerConfiguration = SchedulerConfiguration(),
        policy: any Policy = DefaultPolicy(), drainJitter: Duration = .zero, seed: UInt64 = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Machine {
        var conditions = Machine.goodConditions()
        var lines = text.split(separator: "\n").map { $0.trimmingSpaces }.filter { !$0.isEmpty }
        if let given = lines.first, given.hasPrefix("given ") {
            lines.removeFirst()
            for (key, value) in Words(given).values {
                if !Self.setFact(&conditions, key, value, at: nil) { Issue.record("not understood: \(given)") }
            }
        }
        var timeline = Timeline(
            machine: Machine(
                configuration: configuration, policy: policy, conditions: conditions, seed: seed,
                drainJitter: drainJitter))
        for line in lines {
            if let fault = timeline.run(line: line) {
                let last = timeline.machine.log.suffix(12).map { "\($0.time): \($0.effect)" }
                Issue.record(
                    "\(line)\n  \(fault)\n  \(last.joined(separator: "\n  "))", sourceLocation: sourceLocation)
                break
            }
        }
        return timeline.machine
    }

    private init(machine: Machine) { self.machine = machine }

    /// Runs one line; says what was wrong, nil where nothing was.
    private mutating func run(line: String) -> String? {
        var words = Words(line)
        if words.first == "expect" {
            words.dropFirst()
            return check(words)
        }
        guard let time = words.first.flatMap({ $0.hasPrefix("t=") ? Self.duration($0.dropFirst(2)) : nil }) else {
            return "begins with neither t=… nor expect"
        }
        words.dropFirst()
        machine.advance(to: time)
        return perform(words)
    }

    // MARK: What happens

    private func perform(_ words: Words) -> String? {
        guard let verb = words.first else { return "nothing happens" }
        let id = words.id(1)
        switch verb {
        case "submit": machine.apply(.submitted(id, traits(words)))
        case "change": machine.apply(.changed(id, traits(words)))
        case "recover": machine.apply(.recovered(id, traits(words), recovered(words)))
        case "pause": machine.apply(.paused(id))
        case "resume": machine.apply(.resumed(id))
        case "cancel": machine.apply(.cancelled(id))
        case "power", "battery", "network", "link", "metered", "connection", "roaming", "sleep":
            var isKnown = true
            machine.change { isKnown = Self.setFact(&$0, verb, words.word(1), at: $1) }
            return isKnown ? nil : "no such value"
        case "progress": machine.progress(id, to: words.number(2), of: words["of"].flatMap { Int64($0) })
        case "restart": machine.apply(.restarted(id))
        case "finish":
            _ = machine.endAttempt(id)
            machine.apply(.finished(id))
        case "stopped": machine.apply(.stopped(id, bytes: machine.endAttempt(id) ?? 0))
        case "fail":
            guard let cause = Self.cause(words.word(2)) else { return "no such cause" }
            let retryAfter = words["retryAfter"].flatMap { Self.duration($0[...]) }
            machine.apply(.failed(id, cause, retryAfter: retryAfter, bytes: machine.endAttempt(id) ?? 0))
        case "full":
            machine.apply(
                .ranOutOfSpace(
                    id, needed: words["needed"].flatMap { Int64($0) },
                    available: words["available"].flatMap { Int64($0) } ?? 0,
                    bytes: machine.endAttempt(id) ?? 0))
        case "room": machine.room = Int64(words.word(1))
        case "stops": machine.answersStops = words.word(1) == "answered"
        case "wall": machine.setWallClock(by: Self.duration(words.word(1)[...]) ?? .zero)
        case "flap":  // flap power 100 times 1s: to battery and back again and again
            for _ in 0..<words.number(2) {
                for value in ["battery", "ac"] {
                    machine.advance(to: machine.elapsed + (Self.duration(words.word(4)[...]) ?? .zero))
                    machine.change { _ = Self.setFact(&$0, "power", value, at: $1) }
                }
            }
        case "woken": machine.apply(.woken)
        default: return "no such event"
        }
        return nil
    }

    private func traits(_ words: Words) -> TransferTraits {
        func date(_ key: String) -> WallTime? {
            words[key].flatMap { Self.duration($0[...]) }.map { Machine.start.wall.advanced(by: $0) }
        }
        var constraints = Constraints()
        switch words["power"] {
        case "ac"?: constraints.power = .ac
        case let level?: constraints.power = .acOrBattery(above: Int(level) ?? 0)
        case nil: break
        }
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
        if let window = words["window"] {
            let ends = window.split(separator: "-").compactMap { Int64($0) }
            constraints.window = WindowConstraint(windows: [.init(start: ends[0], end: ends[1])])
        }
        return TransferTraits(
            kind: WorkKind(rawValue: words.word(2)) ?? .discretionary, constraints: constraints,
            priority: words["priority"].flatMap { Int($0) } ?? 500, host: words["host"] ?? "host \(words.word(1))",
            isLoopback: words.contains("loopback"), expectedBytesToReceive: words["size"].flatMap { Int64($0) },
            maximumAttempts: words["attempts"].flatMap { Int($0) }, submitted: date("submitted") ?? machine.now.wall)
    }

    private func recovered(_ words: Words) -> RecoveredState {
        let retry = words["failures"].flatMap { Int($0) }.map { failures in
            RetryState(
                attempts: failures, cause: .connection,
                until: Machine.start.wall.advanced(by: words["until"].flatMap { Self.duration($0[...]) } ?? .zero))
        }
        return RecoveredState(
            bytes: words["bytes"].flatMap { Int64($0) } ?? 0, retry: retry, isPaused: words.contains("paused"))
    }

    private static func setFact(_ conditions: inout Conditions, _ key: String, _ value: String, at now: Moment?) -> Bool
    {
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
        case "sleep": return set(\.sleep, SleepState(rawValue: value))
        default: return false
        }
    }

    // MARK: What must follow

    private mutating func check(_ words: Words) -> String? {
        switch words.first {
        case "quiet": return checkQuiet(words)
        case "wake": return checkWake(words.word(1))
        default: break
        }
        let id = words.id(0)
        switch words.word(1) {
        case "starts", "stops", "ends": return checkNext(words)
        case "waits":
            if machine.holdsSlot(id) { return "it runs" }
            let codes = machine.explanation(of: id)?.holds.map(\.reason.code) ?? ["gone"]
            let expected = words.word(2).split(separator: ",").map(String.init)
            return codes == expected ? nil : "waits for \(codes)"
        case "runs":
            return machine.holdsSlot(id) ? nil : "it does not: \(String(describing: machine.explanation(of: id)))"
        case "late": return machine.explanation(of: id)?.isLate == true ? nil : "it is not"
        case "released":
            let remedies = machine.explanation(of: id)?.remedies.map { Self.text($0) }.joined(separator: ",") ?? ""
            return remedies == words.word(2) ? nil : "by \(remedies)"
        case "saying":
            let sentence = machine.explanation(of: id)?.sentence(localTime: .utc) ?? ""
            return sentence == words.rest(2) ? nil : "says: \(sentence)"
        case "started":
            let starts = machine.log.filter { $0.effect == .start(id) }.count
            return starts == Int(words.word(2)) ? nil : "\(starts) times"
        case "saved":
            let saved = machine.log.last { if case .saveRetry(id, _) = $0.effect { true } else { false } }?.effect
            guard case .saveRetry(_, let retry)? = saved else { return "nothing was saved" }
            return String(retry?.attempts ?? 0) == words.word(2) ? nil : "saved \(String(describing: retry))"
        case "next": return checkRetryWait(id, words)
        default: return "no such expectation"
        }
    }

    /// `expect 1 starts at 40s`, `expect 1 ends cancelled at 3s`: nothing else may happen to it before.
    private mutating func checkNext(_ words: Words) -> String? {
        let id = words.id(0)
        guard let time = words.duration(after: "at") else { return "no time" }
        machine.advance(to: time)
        while seen < machine.log.count {
            let entry = machine.log[seen]
            seen += 1
            let what: String
            switch entry.effect {
            case .start(id): what = "starts"
            case .stop(id): what = "stops"
            case .end(id, let ending): what = "ends \(Self.text(ending))"
            default: continue
            }
            let expected = words.word(1) == "ends" ? "ends \(words.word(2))" : words.word(1)
            return what == expected && entry.time == time ? nil : "\(what) at \(entry.time)"
        }
        return "nothing happens to it"
    }

    private mutating func checkQuiet(_ words: Words) -> String? {
        if let time = words.duration(after: "until") { machine.advance(to: time) }
        defer { seen = machine.log.count }
        let loud = machine.log[seen...].first {
            switch $0.effect {
            case .start, .stop, .end: true
            case .discard, .saveRetry, .savePaused, .saveRelaunchHold, .saveLearned, .measureSpace, .explain, .wake:
                false
            }
        }
        return loud.map { "\($0.effect) at \($0.time)" }
    }

    private func checkWake(_ word: String) -> String? {
        let wake = machine.wake.map { Machine.start.instant.duration(to: $0) }
        if word != "none", Self.duration(word[...]) == nil { return "no time" }
        return wake == Self.duration(word[...]) ? nil : "asked for \(String(describing: wake))"
    }

    /// `expect 1 next within 30s 45s`: the wait after the last failure.
    private func checkRetryWait(_ id: TransferID, _ words: Words) -> String? {
        guard let shortest = Self.duration(words.word(3)[...]), let longest = Self.duration(words.word(4)[...]) else {
            return "no times"
        }
        for hold in machine.explanation(of: id)?.holds ?? [] {
            if case .backoff(_, _, let until) = hold.reason {
                let wait = machine.now.instant.duration(to: until)
                return shortest <= wait && wait <= longest ? nil : "in \(wait)"
            }
        }
        return "it does not wait after a failure"
    }
}
