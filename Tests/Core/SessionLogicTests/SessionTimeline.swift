// SPDX-License-Identifier: Apache-2.0
import SessionLogic
import Testing
import TransferModel

/// A scenario of sessions as text: timed events and the expected effects.
///
/// ```
/// t=0s    open P s                    process P of app x opens session s
/// t=0s    submit P s 1 begin=300s     P submits a task that may begin at 300 s
/// expect  told P 1 begin? at 300s     sets the clock to 300 s; P received only this since the last expectation
/// expect  launch s at 360s            sets the clock to 360 s; the app is launched for s then, and not earlier
/// expect  quiet until 900s            sets the clock to 900 s; the app is not launched
/// ```
/// See `perform` and `check` for all words. An unknown line fails the test, and so does a false expectation.
struct SessionTimeline {
    private var world = SessionWorld()
    private var seenLaunches = 0
    private var seenEventCounts: [String: Int] = [:]

    static func run(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        var timeline = SessionTimeline()
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            let fault: String?
            do {
                fault = words.first == "expect" ? timeline.check(words) : try timeline.perform(words)
            } catch {
                fault = "\(error)"
            }
            if let fault {
                Issue.record("\(line)\n  \(fault)", sourceLocation: sourceLocation)
                return
            }
        }
    }

    private static func seconds(_ word: String?) -> Int64? {
        word.flatMap { $0.hasSuffix("s") ? Int64($0.dropLast()) : nil }
    }

    private func date(_ word: String?) -> WallTime? {
        Self.seconds(word).map { SessionWorld.start.advanced(by: .seconds($0)) }
    }

    /// Returns the value of the word `name=value`.
    private func value(_ name: String, in words: [String]) -> String? {
        words.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    // MARK: Events

    private mutating func perform(_ words: [String]) throws -> String? {
        guard words.count > 1, words[0].hasPrefix("t="), let time = date(String(words[0].dropFirst(2))) else {
            return "begins with neither t=… nor expect"
        }
        world.advance(to: time)
        let (verb, rest) = (words[1], Array(words.dropFirst(2)))
        switch verb {
        case "open":
            try world.open(
                SessionWorld.key(rest[1]), by: rest[0], number: Int32(value("pid", in: rest) ?? "") ?? 100,
                registered: !rest.contains("unregistered")
            ) { settings, user in
                settings.sendsLaunchEvents = !rest.contains("quiet")
                user.isInFront = rest.contains("back") ? false : nil
            }
        case "gone": for key in world.machine.keys(where: { $1?.name == rest[0] }) { gone(rest[0], key) }
        case "close": world.apply(.closed(SessionWorld.key(rest[1]), by: rest[0]))
        case "missed": world.apply(.missedEvents(SessionWorld.key(rest[1]), by: rest[0]))
        case "launched": world.endLaunch(outcome(rest))
        case "behind": world.apply(.foregroundReported("x", false))
        case "quit": for key in world.machine.keys() { world.apply(.quit(key)) }
        case "crash": world.crash()
        case "full": world.isDiskFull = true
        case "power": world.powerCut = Int(rest[0])
        case "finish", "fail", "challenge", "date", "hold": return engine(verb, rest)
        default: return try order(verb, rest)
        }
        while !world.news.isEmpty { world.deliverNextReport() }
        return nil
    }

    private mutating func gone(_ process: String, _ key: SessionKey) { world.apply(.disconnected(key, by: process)) }

    private func outcome(_ words: [String]) -> LaunchOutcome {
        switch words.first {
        case "missing": .missing("no such program")
        case "crashed": .crashed("signal 11")
        case "silent": .silent("no answer")
        case let process: .started(process: process.flatMap { Int32($0) })
        }
    }

    /// Performs an event of the engine, or of the user through the engine: `finish s 1`, `date s 1 600s`.
    private mutating func engine(_ verb: String, _ rest: [String]) -> String? {
        guard let id = world.transfer(of: Int(rest[1]) ?? 0, in: SessionWorld.key(rest[0]))?.id else {
            return "no such transfer"
        }
        switch verb {
        case "finish": world.end(id, .file)
        case "fail": world.end(id, TaskEnd(failure: FailureDescription(code: -1001, message: "too late")))
        case "challenge": world.challenge(id)
        case "hold": world.pause(id)
        default: world.setDate(of: id, date(rest[2]))
        }
        while !world.news.isEmpty { world.deliverNextReport() }
        return nil
    }

    /// Performs an order of a program: `submit P s 1`.
    private mutating func order(_ verb: String, _ rest: [String]) throws -> String? {
        let (process, key) = (rest[0], SessionWorld.key(rest[1]))
        if verb == "ack" {
            let numbers = world.received.filter { $0.process == process && $0.key == key }.compactMap(\.event.number)
            let count = rest.count > 2 ? Int(rest[2]) ?? 0 : numbers.count
            for number in numbers.prefix(count) { try world.acknowledge(number, in: key, from: process) }
            return nil
        }
        let number = Int(rest[2]) ?? 0
        var snapshot = TaskSnapshot(
            identifier: number, kind: .download,
            request: RequestDescription(url: rest.contains("bad") ? "bad:" : "http://h/\(number)"))
        snapshot.earliestBegin = date(value("begin", in: rest))
        snapshot.isSuspended = rest.contains("suspended")
        snapshot.continues = value("continues", in: rest)
        let order: TaskOrder
        switch (verb, rest.last) {
        case ("submit", _): order = .submit(snapshot)
        case ("change", _): order = .change(snapshot)
        case ("suspend", _): order = .suspend(number)
        case ("resume", _): order = .resume(number)
        case ("cancel", _): order = .cancel(number)
        case ("keep", let token?): order = .cancelKeeping(number, token: token)
        case ("begin", "asBefore"): order = .begin(number, .asBefore)
        case ("begin", "unasked"): order = .begin(number, .unasked)
        case ("begin", "cancel"): order = .begin(number, .cancel)
        case ("begin", "with"): order = .begin(number, .with(RequestDescription(url: "http://h/fresh")))
        case ("answer", _): order = .answer(number, .credential(user: "u", password: "p"))
        default: return "not understood"
        }
        do {
            try world.order(order, in: key, from: process)
        } catch let refusal as SessionRefusal where rest.contains("refused") {
            _ = refusal
            return nil
        }
        while !world.news.isEmpty { world.deliverNextReport() }
        return rest.contains("refused") ? "it was not refused" : nil
    }

    // MARK: Expectations

    private mutating func check(_ words: [String]) -> String? {
        let rest = Array(words.dropFirst(2))
        switch words[1] {
        case "told": return checkReceived(rest)
        case "launch":
            guard let time = date(rest[2]) else { return "no such time" }
            world.advance(to: time)
            let new = world.launches.dropFirst(seenLaunches)
            seenLaunches = world.launches.count
            guard new.count == 1, let launch = new.first, launch.key == SessionWorld.key(rest[0]), launch.at == time
            else { return "started: \(new.map { "\($0.key.identifier) \($0.at)" })" }
        case "quiet":
            guard let time = date(rest[1]) else { return "no such time" }
            world.advance(to: time)
            let new = world.launches.dropFirst(seenLaunches)
            return new.isEmpty ? nil : "started for \(new.map(\.key.identifier))"
        case "front":
            return world.machine.isInFront("x") == (rest[0] == "yes") ? nil : "it is not"
        case "task":
            let key = SessionWorld.key(rest[0])
            let generation = Int(value("again", in: rest) ?? "") ?? 0
            let transfer = world.transfer(of: Int(rest[1]) ?? 0, in: key, again: generation)
            let state = transfer.map { world.runs($0) ? "runs" : $0.ending == nil ? "waits" : "ended" } ?? "missing"
            return state == rest[2] ? nil : "it is: \(state)"
        default: return "not understood"
        }
        return nil
    }

    /// Checks the events that a process received: `received P 1 status 200, 1 completed [at 5s]`, `received P nothing`.
    private mutating func checkReceived(_ rest: [String]) -> String? {
        var words = Array(rest.dropFirst())
        if words.count > 2, words[words.count - 2] == "at", let time = date(words.last) {
            world.advance(to: time)
            words.removeLast(2)
        }
        let all = world.received.filter { $0.process == rest[0] }.compactMap(\.event.text)
        let new = all.dropFirst(seenEventCounts[rest[0]] ?? 0).joined(separator: ", ")
        seenEventCounts[rest[0]] = all.count
        let expected = words == ["nothing"] ? "" : words.joined(separator: " ")
        return new == expected ? nil : "received: \(new)"
    }
}
