// SPDX-License-Identifier: Apache-2.0
import SessionLogic
import TransferModel
import TransferPolicy

/// The engine's part of a random run, and the end of the run.
extension RandomRun {
    // MARK: The engine

    mutating func engine() {
        if !world.news.isEmpty, Int.random(in: 0..<3, using: &generator) > 0 { return deliverNextReport() }
        guard let transfer = world.transfers.filter({ $0.ending == nil }).randomElement(using: &generator) else {
            return
        }
        guard world.runs(transfer) else {
            // The user changes the date of a waiting transfer.
            guard let (key, number) = self.number(of: transfer),
                checked.model.sessions[key]?.skipsBeginRequests == false,
                checked.model.sessions[key]?.tasks[number]?.isDelayed == true
            else { return }
            let date = world.now.advanced(by: .seconds(Int64.random(in: 1..<600, using: &generator)))
            record("the user moves \(number) to \(SessionWorld.start.duration(to: date))")
            return world.setDate(of: transfer.id, Bool.random(using: &generator) ? date : nil)
        }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: world.challenge(transfer.id)
        case 1: world.end(transfer.id, TaskEnd(failure: FailureDescription(code: -1001, message: "")))
        default: world.end(transfer.id, .file)
        }
    }

    private mutating func deliverNextReport() {
        switch world.news.first {
        case .transferEnded(let id, let end)?:
            if let transfer = world.transfers.first(where: { $0.id == id }), let (key, number) = number(of: transfer) {
                record("\(number) of \(key.identifier) ended")
                checked.model.ended(number, in: key, end)
            }
        case .challenged(let id, _)?:
            if let transfer = world.transfers.first(where: { $0.id == id }), let (key, number) = number(of: transfer) {
                record("\(number) of \(key.identifier) is challenged")
                checked.model.sessions[key]?.tasks[number]?.isChallenged = true
            }
        case .dateChanged(let id, let date)?:
            if let transfer = world.transfers.first(where: { $0.id == id }), let (key, number) = number(of: transfer),
                let task = checked.model.sessions[key]?.tasks[number], task.isDelayed, !task.asks(at: world.now)
            {
                record("\(number) of \(key.identifier) has another date")
                checked.model.sessions[key]?.tasks[number]?.date = date ?? world.now
            }
        default: break
        }
        let news = world.news.first
        world.deliverNextReport()
        // The power was cut before the end was saved, so the end is reported after the crash.
        if case .transferEnded(let id, _)? = news, let transfer = world.transfers.first(where: { $0.id == id }),
            let (key, number) = number(of: transfer), let row = world.rows[key]?.tasks[number], row.end == nil
        {
            checked.model.unended(number, in: key)
        }
    }

    // MARK: Completion

    /// Completes the run: programs connect, reply to everything, and acknowledge everything, and all transfers end.
    /// Nothing may be left.
    mutating func runToCompletion() {
        record("completion")
        world.isDiskFull = false
        for _ in 0..<60 where checked.model.faults.isEmpty {
            while !world.news.isEmpty { deliverNextReport() }
            checked.model.check(world)
            for key in Self.keys {
                if let session = checked.model.sessions[key] { open(key, session) }
                checked.model.check(world)
                guard let session = checked.model.sessions[key], let user = session.user else { continue }
                for (number, task) in session.tasks.sorted(by: { $0.key < $1.key }) where task.isOpen {
                    if task.isSuspended || !task.isSubmitted { perform(.resume(number), of: task, in: key, from: user) }
                    if task.asks(at: world.now) { perform(.begin(number, .asBefore), of: task, in: key, from: user) }
                    if task.isChallenged {
                        perform(.answer(number, .credential(user: "", password: "")), of: task, in: key, from: user)
                    }
                }
                acknowledge(key, session)
            }
            for transfer in world.transfers where world.runs(transfer) { world.end(transfer.id, .file) }
            checked.model.check(world)
            world.advance(to: world.now.advanced(by: .seconds(120)))
            checked.model.check(world)
        }
        let left = world.rows.mapValues(\.tasks.count).filter { $0.value > 0 }
        if !left.isEmpty, checked.model.faults.isEmpty { checked.model.fault("left at the end: \(left)") }
    }
}
