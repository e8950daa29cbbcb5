// SPDX-License-Identifier: Apache-2.0
import SessionLogic
import TransferModel
import TransferPolicy

/// A random run from one seed, with an oracle. Programs, an engine, power cuts, and full disks drive a session
/// machine.
struct RandomRun {
    static let keys = [("x", "s"), ("x", "t"), ("y", "u"), ("z", "v")].map {
        SessionKey(app: $0.0, identifier: $0.1)
    }

    private(set) var model = SessionModel()
    private(set) var log: [String] = []
    var world = SessionWorld()
    var generator: SplitMix64
    private var nextProcess = 1
    private var nextTask = 1
    let checked: Checked

    /// A reference to the oracle, which the effect handler also updates.
    final class Checked {
        var model = SessionModel()
    }

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
        let checked = Checked()
        self.checked = checked
        world.onEffect = { effect, world in
            if case .launch(_, _, let key) = effect { checked.model.check(startFor: key, in: world) }
        }
        for key in Self.keys {
            checked.model.sessions[key] = SessionModel.Session()
            checked.model.sessions[key]?.isStartable = key.app == "x"
        }
    }

    /// Makes random steps until the first fault, and then completes all work.
    mutating func run(steps: Int) {
        for _ in 0..<steps where checked.model.faults.isEmpty { perform(Int.random(in: 0..<100, using: &generator)) }
        if checked.model.faults.isEmpty { runToCompletion() }
        model = checked.model
    }

    mutating func record(_ line: String) { log.append("\(world.seconds)s \(line)") }

    func number(of transfer: SessionWorld.Transfer) -> (key: SessionKey, number: Int)? {
        for key in Self.keys {
            for number in checked.model.sessions[key]?.tasks.keys.sorted() ?? []
            where key.transferKey(of: number) == transfer.key { return (key, number) }
        }
        return nil
    }

    // MARK: Steps

    private mutating func perform(_ kind: Int) {
        guard let key = Self.keys.randomElement(using: &generator), let session = checked.model.sessions[key] else {
            return
        }
        let isCut = Int.random(in: 0..<25, using: &generator) == 0
        if isCut { world.powerCut = Int.random(in: 0..<4, using: &generator) }
        world.isDiskFull = Int.random(in: 0..<10, using: &generator) == 0
        switch kind {
        case 0..<14: open(key, session)
        case 14..<30: submit(key, session)
        case 30..<44: order(key, session)
        case 44..<60: acknowledge(key, session)
        case 60..<68: leave(key, session)
        case 68..<80: engine()
        case 80..<86: endLaunch()
        case 86..<88: world.apply(.foregroundReported(key.app, kind == 86))
        default:
            world.powerCut = nil
            let pause = [1, 20, 60, 300, 3600].randomElement(using: &generator) ?? 1
            record("pass \(pause) s")
            world.advance(to: world.now.advanced(by: .seconds(Int64(pause))))
        }
        if isCut {
            record("crash")
            checked.model.crashed()
            // The store knows how transfers ended, even if the ends were not reported.
            for transfer in world.transfers {
                guard let end = transfer.ending, let (key, number) = number(of: transfer) else { continue }
                checked.model.ended(number, in: key, end)
            }
            updateDates()
            world.crash()
        }
        checked.model.check(world)
    }

    /// Chooses the earlier of two dates after a crash: the date in the task's row, or the date of its transfer.
    private mutating func updateDates() {
        for transfer in world.transfers {
            guard let (key, number) = number(of: transfer), let task = checked.model.sessions[key]?.tasks[number],
                task.isDelayed, let date = world.rows[key]?.tasks[number]?.snapshot.earliestBegin
            else { continue }
            checked.model.sessions[key]?.tasks[number]?.date = min(date, transfer.date ?? world.now)
        }
    }

    mutating func open(_ key: SessionKey, _ session: SessionModel.Session) {
        guard session.user == nil else { return }
        let others = Self.keys.filter { $0.app == key.app }.compactMap { checked.model.sessions[$0]?.user }
        nextProcess += 1
        let process = others.randomElement(using: &generator) ?? "P\(nextProcess)"
        record("\(process) opens \(key.identifier)")
        do {
            try world.open(key, by: process, number: Int32(nextProcess), registered: key.app != "z") { settings, _ in
                settings.sendsLaunchEvents = key.app != "y"
            }
            checked.model.opened(key, by: process)
        } catch { record("refused") }
    }

    private mutating func submit(_ key: SessionKey, _ session: SessionModel.Session) {
        guard let user = session.user else { return }
        var snapshot = TaskSnapshot(
            identifier: nextTask, kind: .download, request: RequestDescription(url: "http://h/\(nextTask)"))
        if Bool.random(using: &generator) {
            // The offset never coincides with another event.
            let offset = [-4500, 1500, 60_500, 900_500].randomElement(using: &generator) ?? 1500
            snapshot.earliestBegin = world.now.advanced(by: .milliseconds(offset))
        }
        snapshot.isSuspended = Int.random(in: 0..<5, using: &generator) == 0
        record("\(user) submits \(nextTask) to \(key.identifier), suspended \(snapshot.isSuspended)")
        checked.model.handled(with: key)
        do {
            try world.order(.submit(snapshot), in: key, from: user)
            var task = SessionModel.Task()
            (task.date, task.isSuspended) = (snapshot.earliestBegin, snapshot.isSuspended)
            checked.model.sessions[key]?.tasks[nextTask] = task
            if !task.isSuspended { checked.model.submitted(nextTask, in: key, at: world.now) }
        } catch { record("refused") }
        nextTask += 1
    }

    private mutating func order(_ key: SessionKey, _ session: SessionModel.Session) {
        let open = session.tasks.filter { $0.value.isOpen }.sorted { $0.key < $1.key }
        guard let user = session.user, let (number, task) = open.randomElement(using: &generator) else { return }
        let order: TaskOrder
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: order = .cancel(number)
        case 1: order = .suspend(number)
        case 2...3: order = .resume(number)
        case 4 where task.asks(at: world.now): order = .begin(number, .unasked)
        default:
            if task.isChallenged {
                order = .answer(number, .credential(user: "u", password: "p"))
            } else if task.asks(at: world.now) {
                order = .begin(number, .asBefore)
            } else {
                return
            }
        }
        perform(order, of: task, in: key, from: user)
    }

    mutating func perform(
        _ order: TaskOrder, of task: SessionModel.Task, in key: SessionKey, from user: String
    ) {
        let number = order.task
        record("\(user) orders \(order)")
        let hasTransfer = world.transfer(of: number, in: key) != nil
        checked.model.handled(with: key)
        do { try world.order(order, in: key, from: user) } catch { return record("refused") }
        switch order {
        case .cancel:
            // An order succeeds after it is saved. If power fails before that, the order has no effect.
            guard !hasTransfer, let end = world.rows[key]?.tasks[number]?.end else { break }
            checked.model.ended(number, in: key, end)
        case .suspend: checked.model.sessions[key]?.tasks[number]?.isSuspended = true
        case .resume:
            checked.model.sessions[key]?.tasks[number]?.isSuspended = false
            checked.model.submitted(number, in: key, at: world.now)
            // A transfer that has ended is not resumed. Its task ends instead.
            if let end = world.rows[key]?.tasks[number]?.end { checked.model.ended(number, in: key, end) }
        case .begin(_, let reply):
            checked.model.sessions[key]?.tasks[number]?.isDelayed = false
            if reply == .unasked { checked.model.sessions[key]?.skipsBeginRequests = true }
        case .answer:
            checked.model.sessions[key]?.tasks[number]?.isChallenged = false
            checked.model.sessions[key]?.received.remove("\(number) login? basic")
        case .submit, .cancelKeeping, .change: break
        }
    }

    mutating func acknowledge(_ key: SessionKey, _ session: SessionModel.Session) {
        guard let user = session.user else { return }
        let waiting = session.unacknowledged.filter { session.received.contains($0.name) }
        for (name, line) in waiting.prefix(Int.random(in: 1..<8, using: &generator)) {
            guard
                let event = world.received.last(where: { $0.key == key && $0.event.text == line && $0.process == user }
                )?
                .event.number
            else { continue }
            record("\(user) acknowledges \(line)")
            // Update the model first, because the app may be launched for another session immediately. Only the last
            // event of a task counts.
            if line.contains(" completed") { checked.model.handled(with: key) }
            do {
                try world.acknowledge(event, in: key, from: user)
                checked.model.acknowledged(name, in: key)
            } catch { record("refused") }
        }
    }

    private mutating func leave(_ key: SessionKey, _ session: SessionModel.Session) {
        guard let user = session.user else { return }
        if Int.random(in: 0..<4, using: &generator) == 0 {
            record("\(user) closes \(key.identifier)")
            checked.model.left(key)
            return world.apply(.closed(key, by: user))
        }
        record("\(user) goes")
        for other in Self.keys where checked.model.sessions[other]?.user == user {
            checked.model.left(other)
            world.apply(.disconnected(other, by: user))
        }
    }

    private mutating func endLaunch() {
        guard let app = world.launching.keys.sorted().first else { return }
        let outcome: LaunchOutcome = Bool.random(using: &generator) ? .started(process: nil) : .crashed("signal 11")
        record("start of \(app): \(outcome)")
        world.endLaunch(of: app, outcome)
    }

    /// The last steps before a fault, as text.
    var lastSteps: String { log.suffix(25).joined(separator: "\n  ") }
}
