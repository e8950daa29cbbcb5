// SPDX-License-Identifier: Apache-2.0
import SessionLogic
import TransferModel

/// The environment of a session machine: a disk, an engine, a clock, and programs.
///
/// The environment performs the machine's effects as plainly as possible. The disk and the engine's queue survive a
/// crash.
struct SessionWorld {
    /// A transfer as the engine keeps it.
    struct Transfer {
        var id: TransferID
        var key: String
        var submitted: WallTime
        var date: WallTime?
        var isPaused = false
        var isBlockedForApp = false
        var isChallenged = false
        var ending: TaskEnd?
    }

    /// An event that a program received.
    struct ReceivedEvent {
        var process: String
        var key: SessionKey
        var event: SessionEvent
    }

    static let start = WallTime(secondsSinceEpoch: 1_795_392_000)

    private(set) var machine = SessionMachine()
    private(set) var now = SessionWorld.start
    private(set) var rows: [SessionKey: StoredSession] = [:]
    var transfers: [Transfer] = []
    private(set) var timers: [SessionTimer: WallTime] = [:]
    /// The session for which each app is currently being launched.
    private(set) var launching: [String: SessionKey] = [:]
    private(set) var launches: [(key: SessionKey, at: WallTime)] = []
    private(set) var received: [ReceivedEvent] = []
    private(set) var foregroundReports = 0
    /// The pending reports of the engine, oldest first.
    var news: [SessionMachine.Event] = []
    /// A Boolean value that makes the next request's save fail.
    var isDiskFull = false
    /// The number of effects to perform before the power is cut, or `nil` for no power cut.
    var powerCut: Int?
    /// A closure that receives every effect before it is performed.
    var onEffect: (SessionEffect, SessionWorld) -> Void = { _, _ in }

    static func key(_ name: String) -> SessionKey { SessionKey(app: "x", identifier: name) }

    /// The seconds since the start.
    var seconds: Int64 { Self.start.duration(to: now).components.seconds }

    // MARK: Programs

    mutating func open(
        _ key: SessionKey, by process: String, number: Int32 = 100, registered: Bool = true,
        _ change: (inout SessionSettings, inout ClientProcess) -> Void = { _, _ in }
    ) throws {
        var settings = SessionSettings(identifier: key.identifier)
        var user = ClientProcess(name: process, process: number, app: key.app)
        change(&settings, &user)
        try request(.open(settings, user, registered ? .command(["/bin/\(key.app)"]) : nil), key)
    }

    mutating func order(_ order: TaskOrder, in key: SessionKey, from process: String) throws {
        try request(.order(order, from: process, nil), key)
    }

    mutating func acknowledge(_ event: EventNumber, in key: SessionKey, from process: String) throws {
        try request(.acknowledge(event, from: process), key)
    }

    private mutating func request(_ request: SessionRequest, _ key: SessionKey) throws {
        let admission = try machine.admit(request, in: key, at: now)
        if isDiskFull, !admission.changes.isEmpty {
            isDiskFull = false
            throw SessionRefusal(code: .unavailable, message: "the disk is full")
        }
        commit(machine.stored(admission.changes))
        apply(.accepted(admission))
    }

    /// Ends the launch of an app.
    mutating func endLaunch(of app: String = "x", _ outcome: LaunchOutcome) {
        launching[app] = nil
        apply(.launchEnded(app, outcome))
    }

    // MARK: Time

    /// Lets time pass and fires every timer at its time.
    mutating func advance(to time: WallTime) {
        while let next = timers.filter({ $0.value <= time }).min(by: {
            ($0.value, "\($0.key)") < ($1.value, "\($1.key)")
        }) {
            now = max(now, next.value)
            timers[next.key] = nil
            apply(.timerFired(next.key))
        }
        now = max(now, time)
    }

    /// Ends the program abruptly and starts it again from the saved state.
    mutating func crash() {
        powerCut = nil
        machine = SessionMachine()
        (timers, launching, news) = ([:], [:], [])
        for index in transfers.indices {
            (transfers[index].isBlockedForApp, transfers[index].isChallenged) = (false, false)
        }
        var ended: [(TransferID, TaskEnd)] = []
        for stored in rows.values.sorted(by: { $0.key < $1.key }) {
            var found: [Int: RecoveredTaskTransfer] = [:]
            for (number, task) in stored.tasks where task.end == nil {
                let key = stored.key.transferKey(of: number, again: task.generation)
                guard let transfer = transfers.last(where: { $0.id == task.transfer || $0.key == key }) else {
                    continue
                }
                found[number] = RecoveredTaskTransfer(
                    id: transfer.id, submitted: transfer.submitted, date: transfer.date)
                if let ending = transfer.ending { ended.append((transfer.id, ending)) }
            }
            apply(.recovered(stored, found))
        }
        for (id, ending) in ended.sorted(by: { $0.0 < $1.0 }) { apply(.transferEnded(id, ending)) }
        for key in machine.keys() { apply(.engineStarted(key)) }
    }

    // MARK: The machine

    /// Passes an event to the machine and performs its effects.
    mutating func apply(_ event: SessionMachine.Event) {
        for effect in machine.apply(event, at: now) {
            if let left = powerCut {
                guard left > 0 else { return }
                powerCut = left - 1
            }
            onEffect(effect, self)
            perform(effect)
        }
    }

    private mutating func commit(_ changes: [SessionChange]) {
        for change in changes {
            switch change {
            case .session(let key, let record):
                rows[key, default: StoredSession(key: key, record: record)].record = record
            case .task(let key, let record): rows[key]?.tasks[record.snapshot.identifier] = record
            case .taskRemoved(let key, let number): rows[key]?.tasks[number] = nil
            case .removed(let key): rows[key] = nil
            }
        }
    }

    private mutating func perform(_ effect: SessionEffect) {
        switch effect {
        case .save(let changes): commit(changes)
        case .send(let key, let event):
            received.append(ReceivedEvent(process: machine.user(of: key)?.name ?? "no process", key: key, event: event))
        case .submit(let submission): submit(submission)
        case .resume(let id):
            change(id) { $0.isPaused = false }
            let ending = transfers.first { $0.id == id }?.ending
            apply(ending.map { .transferEnded(id, $0) } ?? .resumed(id))
        case .pause(let ids): for id in ids { change(id) { $0.isPaused = true } }
        case .cancel(let ids): for id in ids { end(id, TaskEnd(failure: .cancelled)) }
        case .cancelKeys(let keys):
            for id in transfers.filter({ keys.contains($0.key) }).map(\.id) { end(id, TaskEnd(failure: .cancelled)) }
        case .change(let id, let change): if let date = change.constraints.notBefore { setDate(of: id, date) }
        case .answerChallenge(let id, _):
            change(id) { $0.isChallenged = false }
            apply(.challengeAnswered(id))
        case .blockForApp(let id): change(id) { $0.isBlockedForApp = true }
        case .unblockForApp(let id): change(id) { $0.isBlockedForApp = false }
        case .launch(let app, _, let key):
            launching[app] = key
            launches.append((key, now))
        case .reportForeground: foregroundReports += 1
        case .setTimer(let timer, let duration): timers[timer] = now.advanced(by: duration)
        case .cancelTimer(let timer): timers[timer] = nil
        case .reportRelaunch, .reportRelaunchAbandoned, .removeFile, .removeSource: break
        }
    }

    // MARK: The engine

    private mutating func submit(_ submission: TaskSubmission) {
        if let replaced = submission.replaced { end(replaced, TaskEnd(failure: .cancelled)) }
        let key = submission.transferKey
        guard submission.task.snapshot.request.url != "bad:" else {
            apply(.submissionFailed(key: key))
            return apply(.unusable(submission.session, submission.number, .unsupported("no address")))
        }
        let known = transfers.last { $0.key == key }?.id
        let id = known ?? TransferID(Int64(transfers.count + 1))
        if known == nil {
            transfers.append(
                Transfer(id: id, key: key, submitted: now, date: submission.traits.constraints.notBefore?.date))
        }
        apply(.transferSubmitted(id, key: key))
    }

    private mutating func change(_ id: TransferID, _ body: (inout Transfer) -> Void) {
        guard let index = transfers.firstIndex(where: { $0.id == id && $0.ending == nil }) else { return }
        body(&transfers[index])
    }

    /// Ends a transfer durably. The machine learns of the end from the engine's reports.
    mutating func end(_ id: TransferID, _ end: TaskEnd) {
        guard transfers.contains(where: { $0.id == id && $0.ending == nil }) else { return }
        change(id) { $0.ending = end }
        news.append(.transferEnded(id, end))
    }

    /// Changes the date of a transfer, as the user would.
    mutating func setDate(of id: TransferID, _ date: WallTime?) {
        change(id) { $0.date = date }
        news.append(.dateChanged(id, date))
    }

    /// Pauses a transfer, as the user would.
    mutating func pause(_ id: TransferID) { change(id) { $0.isPaused = true } }

    mutating func challenge(_ id: TransferID) {
        change(id) { $0.isChallenged = true }
        let challenge = AuthenticationChallenge(scheme: .basic, realm: "r", origin: "https://h:443")
        news.append(.challenged(id, [challenge]))
    }

    /// Passes the oldest report of the engine to the machine.
    mutating func deliverNextReport() {
        if !news.isEmpty { apply(news.removeFirst()) }
    }

    func transfer(of number: Int, in key: SessionKey, again generation: Int = 0) -> Transfer? {
        transfers.last { $0.key == key.transferKey(of: number, again: generation) }
    }

    func runs(_ transfer: Transfer) -> Bool {
        transfer.ending == nil && !transfer.isPaused && !transfer.isBlockedForApp && !transfer.isChallenged
            && transfer.date ?? now <= now
    }
}

extension SessionEvent {
    /// A short text, or `nil` for progress.
    var text: String? {
        let task = task.map { "\($0) " } ?? ""
        switch kind {
        case .received, .sent: return nil
        case .continued(let offset, _): return "\(task)continued \(offset)"
        case .responded(let response): return "\(task)status \(response.status)"
        case .downloaded(let path): return "\(task)file \(path)"
        case .body(let bytes): return "\(task)body \(bytes.count)"
        case .completed(let failure): return "\(task)completed\(failure.map { " \($0.code)" } ?? "")"
        case .willBegin: return "\(task)begin?"
        case .challenged(let challenge): return "\(task)login? \(challenge.scheme)"
        case .called: return "called"
        case .finishedEvents: return "finished"
        case .invalidated: return "invalidated"
        }
    }
}

extension TaskEnd {
    static let file = TaskEnd(response: ResponseDescription(url: "", status: 200, headers: [:]), file: "/f")
}
