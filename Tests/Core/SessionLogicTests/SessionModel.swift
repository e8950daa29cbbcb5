// SPDX-License-Identifier: Apache-2.0
import SessionLogic
import TransferModel

/// The oracle of random runs: the events and requests that apps must receive, as plainly as possible.
///
/// The oracle never reads the machine's state. It uses only the requests of programs, the ends of transfers, and the
/// machine's effects.
struct SessionModel {
    struct Task {
        /// The events that the app must receive about the task's end. Empty until the end.
        var lines: [String] = []
        /// The number of acknowledged events, and the number among them that a crash does not lose.
        var acknowledged = 0
        var durablyAcknowledged = 0
        var date: WallTime?
        /// A Boolean value that indicates whether the engine has the task.
        var isSubmitted = false
        var isSuspended = false
        /// A Boolean value that indicates whether the app must receive a request on the date and has not replied.
        var isDelayed = false
        var isChallenged = false

        var isOpen: Bool { lines.isEmpty }
        func asks(at now: WallTime) -> Bool { isOpen && isDelayed && date.map { $0 <= now } ?? true }
    }

    struct Session {
        var tasks: [Int: Task] = [:]
        /// The ended tasks, in the order of their ends.
        var ended: [Int] = []
        var user: String?
        var isStartable = true
        var skipsBeginRequests = false
        /// The events that the current process has received: "1.0" is the first line of task 1, "1?" is a request.
        var received: Set<String> = []
        /// The number of launches since the last acknowledgment of a task's last event, or order.
        var fruitlessStarts = 0
        var lastStart: WallTime?

        /// The events that the app has not acknowledged, in order, with their names and lines.
        var unacknowledged: [(name: String, line: String)] {
            ended.flatMap { number in
                let task = tasks[number] ?? Task()
                return task.lines.enumerated().dropFirst(task.acknowledged).map {
                    ("\(number).\($0.offset)", "\(number) \($0.element)")
                }
            }
        }

        func openRequests(at now: WallTime) -> [String] {
            tasks.sorted { $0.key < $1.key }.flatMap { number, task in
                (task.asks(at: now) ? ["\(number) begin?"] : [])
                    + (task.isOpen && task.isChallenged ? ["\(number) login? basic"] : [])
            }
        }

        func needsApp(at now: WallTime) -> Bool {
            !openRequests(at: now).isEmpty || (!unacknowledged.isEmpty && !tasks.values.contains(where: \.isOpen))
        }
    }

    var sessions: [SessionKey: Session] = [:]
    private(set) var faults: [String] = []
    private var seen = 0

    mutating func fault(_ text: String) { faults.append(text) }

    // MARK: Events

    mutating func opened(_ key: SessionKey, by process: String) {
        guard sessions[key]?.user != process else { return }
        sessions[key]?.user = process
        sessions[key]?.received = []
    }

    mutating func left(_ key: SessionKey) {
        sessions[key]?.user = nil
        sessions[key]?.received = []
    }

    /// Records the submission of a task to the engine.
    mutating func submitted(_ number: Int, in key: SessionKey, at now: WallTime) {
        guard let task = sessions[key]?.tasks[number], !task.isSubmitted else { return }
        sessions[key]?.tasks[number]?.isSubmitted = true
        let isDelayed = sessions[key]?.skipsBeginRequests == false && task.date.map { $0 > now } ?? false
        sessions[key]?.tasks[number]?.isDelayed = isDelayed
    }

    mutating func ended(_ number: Int, in key: SessionKey, _ end: TaskEnd) {
        guard sessions[key]?.tasks[number]?.isOpen == true else { return }
        sessions[key]?.tasks[number]?.lines =
            end.failure.map { ["completed \($0.code)"] } ?? ["status 200", "file /f", "completed"]
        sessions[key]?.ended.append(number)
    }

    mutating func unended(_ number: Int, in key: SessionKey) {
        sessions[key]?.tasks[number]?.lines = []
        sessions[key]?.ended.removeAll { $0 == number }
    }

    mutating func acknowledged(_ name: String, in key: SessionKey) {
        let parts = name.split(separator: ".").compactMap { Int($0) }
        guard let task = sessions[key]?.tasks[parts[0]], parts[1] >= task.acknowledged else { return }
        sessions[key]?.tasks[parts[0]]?.acknowledged = parts[1] + 1
        // A repeated head of a response is harmless.
        if task.lines[parts[1]] != "status 200" { sessions[key]?.tasks[parts[0]]?.durablyAcknowledged = parts[1] + 1 }
    }

    mutating func handled(with key: SessionKey) {
        for other in sessions.keys where other.app == key.app { sessions[other]?.fruitlessStarts = 0 }
    }

    mutating func crashed() {
        for key in sessions.keys {
            left(key)
            sessions[key]?.fruitlessStarts = 0
            sessions[key]?.lastStart = nil
            for (number, task) in sessions[key]?.tasks ?? [:] {
                sessions[key]?.tasks[number]?.isChallenged = false
                sessions[key]?.tasks[number]?.acknowledged = task.durablyAcknowledged
            }
        }
    }

    /// Lets delayed tasks begin if no app can receive the request.
    private mutating func releaseUnanswerable(at now: WallTime) {
        for (key, session) in sessions where session.skipsBeginRequests || (session.user == nil && !session.isStartable)
        {
            for (number, task) in session.tasks where task.asks(at: now) {
                sessions[key]?.tasks[number]?.isDelayed = false
            }
        }
    }

    // MARK: Checks

    /// Checks a launch just before it is performed.
    mutating func check(startFor key: SessionKey, in world: SessionWorld) {
        guard let session = sessions[key] else { return fault("started without a session") }
        if session.user != nil { fault("started for \(key.identifier), which \(session.user ?? "") has open") }
        if !session.isStartable { fault("started for \(key.identifier), which must not be started") }
        if !session.needsApp(at: world.now) { fault("started for \(key.identifier), which has nothing to receive") }
        if Self.isStarting(key.app, in: world) { fault("\(key.app) is started twice at the same time") }
        if let last = session.lastStart, session.fruitlessStarts > 0 {
            let pause = min(60 << Int64(min(session.fruitlessStarts - 1, 20)), 21_600)
            if last.duration(to: world.now) < .seconds(pause) {
                fault(
                    "started for \(key.identifier) \(last.duration(to: world.now)) after a failure, not \(pause) s"
                )
            }
        }
        sessions[key]?.fruitlessStarts += 1
        sessions[key]?.lastStart = world.now
    }

    private static func isStarting(_ app: String, in world: SessionWorld) -> Bool {
        world.launching[app] != nil || world.timers[.handlingTimeLimit(app)] != nil || world.timers[.pause(app)] != nil
    }

    /// Checks all invariants after a step.
    mutating func check(_ world: SessionWorld) {
        for received in world.received[seen...] { check(received) }
        seen = world.received.count
        releaseUnanswerable(at: world.now)
        for (key, session) in sessions.sorted(by: { $0.key < $1.key }) {
            let name = key.identifier
            if session.user != nil {
                let missing =
                    session.unacknowledged.map(\.name).filter { !session.received.contains($0) }
                    + session.openRequests(at: world.now).filter { !session.received.contains($0) }
                if !missing.isEmpty { fault("\(session.user ?? "") did not receive \(missing) of \(name)") }
            } else if session.isStartable, session.needsApp(at: world.now), !Self.isStarting(key.app, in: world) {
                fault("\(name) waits for its app forever")
            }
            if !session.needsApp(at: world.now) { sessions[key]?.fruitlessStarts = 0 }
            for (number, task) in session.tasks where task.isOpen {
                check(number, sessions[key]?.tasks[number], key, world)
            }
        }
    }

    private mutating func check(_ number: Int, _ task: Task?, _ key: SessionKey, _ world: SessionWorld) {
        guard let task, task.isSubmitted else { return }
        guard let transfer = world.transfer(of: number, in: key) else { return fault("the engine has no \(number)") }
        guard transfer.ending == nil else { return }
        if transfer.isPaused != task.isSuspended {
            fault("\(number) of \(key.identifier) is paused: \(transfer.isPaused)")
        }
        if task.asks(at: world.now), !transfer.isBlockedForApp {
            fault("\(number) of \(key.identifier) begins unrequested")
        }
        if !task.isDelayed, transfer.isBlockedForApp { fault("\(number) of \(key.identifier) waits forever") }
    }

    private mutating func check(_ received: SessionWorld.ReceivedEvent) {
        guard let session = sessions[received.key], let text = received.event.text else { return }
        // The event was sent before the process left, or before a crash.
        guard session.user == received.process else { return }
        let open = session.unacknowledged.filter { !session.received.contains($0.name) }
        if received.event.number != nil {
            guard let next = open.first, next.line == text else {
                guard let next = open.first, open.contains(where: { $0.line == text }) else {
                    return fault("\(received.process) received '\(text)' again")
                }
                return fault("\(received.process) received '\(text)' before '\(next.line)'")
            }
            sessions[received.key]?.received.insert(next.name)
        } else if case .finishedEvents = received.event.kind {
            if !open.isEmpty { fault("\(received.process) received the end of events before '\(open[0].line)'") }
        } else {
            sessions[received.key]?.received.insert(text)
        }
    }
}
