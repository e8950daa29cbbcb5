// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

// The expectations.

extension Timeline {
    mutating func check(_ words: Words) -> String? {
        switch words.first {
        case "quiet": return checkQuiet(words)
        case "wake": return checkWake(words.word(1))
        case "order", "learned", "delay": return checkWhole(words)
        default: break
        }
        let id = words.id(0)
        switch words.word(1) {
        case "starts", "stops", "ends": return checkNext(words)
        case "waits":
            if machine.occupiesSlot(id) { return "it runs" }
            let codes = machine.explanation(of: id)?.reasons.map(\.reason.code) ?? ["gone"]
            let expected = words.word(2).split(separator: ",").map(String.init)
            return codes == expected ? nil : "waits for \(codes)"
        case "runs":
            return machine.occupiesSlot(id) ? nil : "it does not: \(String(describing: machine.explanation(of: id)))"
        case "late": return machine.explanation(of: id)?.isLate == true ? nil : "it is not"
        case "released":
            let remedies = machine.explanation(of: id)?.remedies.map { Self.text($0) }.joined(separator: ",") ?? ""
            return remedies == words.word(2) ? nil : "by \(remedies)"
        case "jointly":
            let joint = machine.explanation(of: id)?.joint
            let changes = joint?.changes.map { Self.text($0) }.joined(separator: ",") ?? ""
            let times =
                joint.map { " after \($0.after.components.seconds)s" + ($0.date == nil ? "" : " by date") } ?? ""
            return changes + times == words.rest(2) ? nil : "by \(changes)\(times)"
        case "saying":
            let sentence = machine.explanation(of: id)?.sentence(localTime: .utc) ?? ""
            return sentence == words.rest(2) ? nil : "says: \(sentence)"
        case "rate":
            let rate = machine.scheduler.rate(of: id).map { "\($0)" } ?? "unknown"
            return rate == words.word(2) ? nil : "is \(rate)"
        case "started":
            let starts = machine.log.filter { $0.effect == .start(id) }.count
            return starts == Int(words.word(2)) ? nil : "\(starts) times"
        case "saved":
            let saved = machine.log.last { if case .saveRetry(id, _) = $0.effect { true } else { false } }?.effect
            guard case .saveRetry(_, let retry)? = saved else { return "nothing was saved" }
            return String(retry?.attempts ?? 0) == words.word(2) ? nil : "saved \(String(describing: retry))"
        case "next": return checkRetryWait(id, words)
        default: return checkDetail(id, words)
        }
    }

    /// Checks that the next event of a transfer is the expected one: `expect 1 starts at 40s`, `expect 1 ends
    /// cancelled at 3s`.
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
            case .discard, .saveRetry, .savePaused, .saveRelaunchDelay, .saveStatistics, .measureSpace, .explain, .wake,
                .reportDeadline:
                false
            }
        }
        return loud.map { "\($0.effect) at \($0.time)" }
    }

    private func checkWake(_ word: String) -> String? {
        let wake = machine.wake.map { Machine.start.instant.duration(to: $0) }
        if word != "none", Self.duration(word[...]) == nil { return "no time" }
        return wake == Self.duration(word[...]) ? nil : "requested \(String(describing: wake))"
    }

    /// Checks the wait after the last failure: `expect 1 next within 30s 45s`.
    private func checkRetryWait(_ id: TransferID, _ words: Words) -> String? {
        guard let shortest = Self.duration(words.word(3)[...]), let longest = Self.duration(words.word(4)[...]) else {
            return "no times"
        }
        for wait in machine.explanation(of: id)?.reasons ?? [] {
            if case .backoff(_, _, let until) = wait.reason {
                let wait = machine.now.instant.duration(to: until)
                return shortest <= wait && wait <= longest ? nil : "in \(wait)"
            }
        }
        return "it does not wait after a failure"
    }
}
