// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// A scenario as text: timed events and the expected effects.
///
/// ```
/// given power=battery              the conditions at the start (default: AC, unmetered Ethernet)
/// t=0s    submit 1 discretionary   sets the clock to 0 s, then performs the event
/// expect  1 waits onBattery        checks all reasons at this time
/// t=30s   power ac
/// expect  1 starts at 40s          sets the clock to 40 s; the next event of 1 is its start, exactly then
/// expect  quiet until 100s         sets the clock to 100 s; nothing starts, stops, or ends before
/// ```
/// See `perform`, `perform(onApps:)`, and `check` for all words. An unknown line fails the test, and so does a false
/// expectation.
struct Timeline {
    let machine: Machine
    /// The number of entries in the machine's log that expectations have accounted for.
    var seen = 0

    /// Runs `text` line by line. A failure names the line.
    @discardableResult
    static func run(
        _ text: String, configuration: SchedulerConfiguration = SchedulerConfiguration(),
        policy: any Policy = PatiencePolicy(), staggeredStartJitter: Duration = .zero, seed: UInt64 = 1,
        watchesAll: Bool = true,
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
                staggeredStartJitter: staggeredStartJitter, watchesAll: watchesAll))
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

    /// Runs a line. Returns a description of the fault, or `nil` if the line succeeds.
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

    // MARK: Events

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
        case "power", "battery", "network", "link", "metered", "connection", "roaming", "sleep", "custom", "everything",
            "prices":
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
        case "flap":  // flap power 100 times 1s: alternates between battery and AC
            for _ in 0..<words.number(2) {
                for value in ["battery", "ac"] {
                    machine.advance(to: machine.elapsed + (Self.duration(words.word(4)[...]) ?? .zero))
                    machine.change { _ = Self.setFact(&$0, "power", value, at: $1) }
                }
            }
        case "woken": machine.apply(.woken)
        default: return perform(onApps: words)
        }
        return nil
    }
}
