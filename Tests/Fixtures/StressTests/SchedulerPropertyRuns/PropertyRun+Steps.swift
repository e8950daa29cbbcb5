// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

// The effects of each step.

extension PropertyRun {
    package func perform(_ step: RunStep) {
        switch step {
        case .pass(let time): pass(max(0, time))
        case .wallStep(let time): setWallClock(by: time)
        case .probe: probe()
        case .submit(let id, let traits):
            guard model.open[id] == nil, !model.ended.contains(id) else { return }
            model.add(id, SchedulerModel.Known(traits: traits))
            deliver(.submitted(id, traits))
        case .change(let id, let traits):
            model.change(id, to: traits)
            deliver(.changed(id, traits))
        case .act(let act, let id): perform(act, id)
        case .need(let id, let need):
            model.update(id) { $0.needsApp = true }
            deliver(.appNeeded(id, need))
        case .progress(let id, let bytes, let total): progress(id, bytes, total)
        case .fail(let id, let cause, let retryAfter):
            let bytes = model.open[id]?.bytes ?? 0
            if let retryAfter, let known = model.open[id], known.isRunning, cause.mayRequestWait {
                let (server, wait) = (known.traits.host, Duration.nanoseconds(retryAfter))
                model.requestWait(by: server, until: now.instant.advanced(by: wait), at: now.instant)
                deliver(.serverRequestedWait(server: server, wait))
            }
            model.endAttempt(id)
            deliver(.failed(id, cause, retryAfter: retryAfter.map { .nanoseconds($0) }, bytes: bytes))
        case .runOutOfSpace(let id, let needed):
            guard let known = model.open[id], known.isRunning else { return }
            model.runOutOfSpace(id, needed)
            deliver(.ranOutOfSpace(id, needed: needed, available: 0, bytes: known.bytes))
        case .fact(let change):
            conditions.record(change, at: now)
            deliver(.conditionsChanged(conditions))
        case .app(let act, let app): perform(act, app)
        case .budgets(let lines): deliver(.budgetsChanged(budgets(lines)))
        case .room(let room): self.room = room
        case .confirmsStops(let confirms): confirmsStops = confirms
        case .policy(let name): setPolicy(name)
        case .restart(let isReboot): restart(isReboot: isReboot)
        case .finishAll: finishAll()
        }
    }

    private func perform(_ act: RunStep.Act, _ id: TransferID) {
        switch act {
        case .cancel:
            model.update(id) { $0.isCancelled = true }
            deliver(.cancelled(id))
        case .pause:
            model.pause(id)
            deliver(.paused(id))
        case .resume:
            model.resume(id)
            deliver(.resumed(id))
        case .hold:
            model.update(id) { $0.isHeld = true }
            deliver(.held(id, by: "user", why: ""))
        case .release:
            model.update(id) { $0.isHeld = false }
            deliver(.released(id))
        case .respond:
            model.update(id) { $0.needsApp = false }
            deliver(.appResponded(id))
        case .watch:
            if model.open[id] != nil { model.watched.insert(id) }
            deliver(.watched(id))
        case .unwatch:
            model.watched.remove(id)
            deliver(.unwatched(id))
        case .startOver:
            model.update(id) { if $0.isRunning { ($0.bytes, $0.total) = (0, nil) } }
            deliver(.restarted(id))
        case .stopped:
            let bytes = model.open[id]?.bytes ?? 0
            model.endAttempt(id)
            deliver(.stopped(id, bytes: bytes))
        case .finish:
            model.endAttempt(id)
            deliver(.finished(id))
        }
    }

    private func progress(_ id: TransferID, _ new: Int64, _ total: Int64?) {
        guard let known = model.open[id], known.isRunning else { return }
        let bytes = known.bytes + max(0, new)
        model.update(id) { $0.total = total ?? $0.total }
        deliver(.progressed(id, bytes: bytes, total: total))
        // Transfer rates decide which transfers fit into their windows, but are only evaluated at the next event.
        if faults.isEmpty, new > 0, model.hasWindows { setWallClock(by: 0) }
    }

    private func perform(_ act: RunStep.AppAct, _ app: String) {
        switch act {
        case .relaunched: deliver(.appRelaunched(app))
        case .front: deliver(.appCameToFront(app))
        case .abandoned: deliver(.relaunchAbandoned(app))
        }
    }

    private func budgets(_ lines: [RunStep.BudgetLine]) -> ByteBudgetRegistry {
        var budgets = ByteBudgetRegistry()
        for line in lines {
            let budget = try? ByteBudget(
                limit: line.limit, billingDay: line.day, at: now.wall, localTime: conditions.localTime)
            if line.isOfApp { budgets.apps[line.name] = budget } else { budgets.connections[line.name] = budget }
        }
        return budgets
    }

    /// Creates ideal conditions and releases everything that blocks transfers. All open transfers must end under the
    /// current policy.
    private func finishAll() {
        confirmsStops = true
        room = .max
        for id in model.ids.sorted() where model.open[id]?.isStopping == true { perform(.act(.stopped, id)) }
        let facts: [RunStep.FactChange] = [
            .power(.ac), .battery(100), .network(.full), .link(.ethernet), .metered(.no), .roaming(.no),
            .connection("home"), .sleep(.awake), .prices([], from: now.wall, each: 1),
        ]
        for fact in facts { perform(.fact(fact)) }
        perform(.budgets([]))
        for id in model.ids.sorted() {
            guard var traits = model.open[id]?.traits else { continue }
            let (notBefore, deadline) = (traits.constraints.notBefore, traits.constraints.deadline)
            traits.constraints = Constraints(
                notBefore: notBefore, deadline: deadline, window: traits.constraints.window)
            perform(.change(id, traits))
            for act in [RunStep.Act.release, .respond, .resume, .resume, .unwatch] { perform(.act(act, id)) }
        }
        for _ in 0..<4000 where faults.isEmpty && !model.ids.isEmpty {
            // Time advances only to the next wake-up, because a started transfer must end before its window closes.
            pass(timeToWake ?? 60_000_000_000)
            while faults.isEmpty, let id = model.running.min() { perform(.act(.finish, id)) }
        }
        guard faults.isEmpty else { return }
        if !model.ids.isEmpty { model.fault("\(model.ids.sorted()) never started") }
        if let timeToWake {
            model.fault("a wake-up is requested in \(timeToWake) ns although no transfer is left")
        }
    }
}

extension FailureCause {
    /// A Boolean value that indicates whether a server may request a wait of all transfers with this response.
    fileprivate var mayRequestWait: Bool { self == .status(429) || self == .status(503) }
}

extension SchedulerModel {
    /// Records that an executor has stopped an attempt.
    mutating func stopConfirmed(_ id: TransferID) { endAttempt(id) }

    mutating func measured(_ id: TransferID, _ room: Int64) {
        update(id) { if $0.needsSpace, room >= $0.spaceNeeded { $0.needsSpace = false } }
    }
}

extension Conditions {
    /// Records a new reading of a condition.
    fileprivate mutating func record(_ change: RunStep.FactChange, at now: ClockReading) {
        func observe<Value>(_ fact: inout Fact<Value>, _ value: Value) {
            fact = fact.updated(to: value, source: fact.source, confidence: .reported, at: now)
        }
        switch change {
        case .power(let value): observe(&power, value)
        case .battery(let level): observe(&battery, BatteryState(level: level))
        case .profile(let value): observe(&powerProfile, value)
        case .network(let value): observe(&network, value)
        case .link(let value): observe(&linkKind, value)
        case .metered(let value): observe(&metered, value)
        case .roaming(let value): observe(&roaming, value)
        case .connection(let name): observe(&connection, name)
        case .sleep(let value): observe(&sleep, value)
        case .custom(let name, let value):
            if !custom.contains(where: { $0.name == name }) {
                custom.append(CustomCondition(name, Fact(nil, source: .custom, since: now), origin: "a run"))
                custom.sort { $0.name < $1.name }
            }
            for index in custom.indices where custom[index].name == name { observe(&custom[index].fact, value) }
        case .prices(let prices, let from, let each):
            let segments = prices.enumerated().map { index, price in
                PriceCurve.Segment(
                    start: from.advanced(by: .seconds(each * Int64(index))),
                    end: from.advanced(by: .seconds(each * Int64(index + 1))), price: Double(price))
            }
            observe(&priceCurve, PriceCurve(segments: segments))
        case .zone(let offset, let from, let then):
            localTime = LocalTimeRules(
                initialOffsetSeconds: offset, changes: from.map { [.init(start: $0, offsetSeconds: then)] } ?? [])
        }
    }
}
