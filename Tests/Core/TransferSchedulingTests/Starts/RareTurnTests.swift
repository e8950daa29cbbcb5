// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// Unusual input and rare sequences of events.
@Suite struct RareTurnTests {
    private func traits(
        _ kind: WorkKind = .normal, constraints: Constraints = Constraints(), host: String = "h", app: String = "",
        size: Int64? = nil, session: String? = nil, background: Bool = false
    ) -> TransferTraits {
        TransferTraits(
            kind: kind, constraints: constraints, host: host, app: app, expectedBytesToReceive: size,
            submitted: Machine.start.wall, session: session, isFromBackground: background)
    }

    @Test("Hundreds of equivalence classes are handled, in any order")
    func manyClasses() {
        for plain in 0..<4 {
            let machine = Machine(watchesAll: false)
            machine.change { $0.observe(\.power, .battery, at: $1) }
            var id: Int64 = 0
            for number in 0..<(plain + 300) {
                var constraints = Constraints(connection: ConnectionConstraint(denied: ["c\(number)"]))
                if number >= plain {
                    constraints.deadline = DeadlineConstraint(Machine.start.wall.advanced(by: .seconds(100_000)))
                }
                id += 1
                machine.apply(
                    .submitted(TransferID(id), traits(.discretionary, constraints: constraints, app: "a\(number)")))
            }
            #expect(machine.attempts.isEmpty)
        }
    }

    @Test("When a budget no longer applies, its blocked transfers run again")
    func orderAfterABudget() throws {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 1
        let machine = Machine(configuration: configuration, watchesAll: false)
        machine.change { $0.observe(\.metered, .yes, at: $1) }
        var registry = ByteBudgetRegistry()
        var budget = try ByteBudget(
            limit: 1000, billingDay: 1, at: machine.now.wall, localTime: machine.conditions.localTime)
        try budget.charge(2000, at: machine.now.wall, localTime: machine.conditions.localTime)
        registry.apps["a"] = budget
        machine.apply(.submitted(TransferID(9), traits(.userInitiated, host: "u", app: "u")))
        machine.apply(.budgetsChanged(registry))
        machine.apply(.submitted(TransferID(1), traits(host: "1", app: "a")))
        machine.apply(.submitted(TransferID(2), traits(host: "2", app: "b")))
        machine.apply(.submitted(TransferID(8), traits(.userInitiated, host: "v", app: "v")))
        _ = machine.endAttempt(TransferID(9))
        machine.apply(.finished(TransferID(9)))
        #expect(machine.attempts.keys.sorted() == [TransferID(8)])
        machine.change { $0.observe(\.metered, .no, at: $1) }
        _ = machine.endAttempt(TransferID(8))
        machine.apply(.finished(TransferID(8)))
        #expect(machine.attempts.keys.sorted() == [TransferID(1)])
    }

    @Test("Byte counts below zero count as none, and do not trap later")
    func negativeProgress() {
        let machine = Machine(watchesAll: false)
        machine.apply(.submitted(TransferID(1), traits(.discretionary)))
        machine.advance(to: .seconds(1))
        machine.apply(.progressed(TransferID(1), bytes: -1, total: nil))
        machine.advance(to: .seconds(2))
        machine.apply(.progressed(TransferID(1), bytes: .max, total: nil))
        #expect(machine.openCount == 1)
    }

    @Test("A delayed transfer that moves to another app does not extend the first app's delay")
    func movedToAnotherApp() {
        let machine = Machine(watchesAll: false)
        machine.apply(.appRelaunched("x"))
        machine.apply(.submitted(TransferID(1), traits(app: "x", background: true)))
        machine.apply(.changed(TransferID(1), traits(app: "y", background: true)))
        machine.advance(to: .seconds(100))
        _ = machine.endAttempt(TransferID(1))
        machine.apply(.finished(TransferID(1)))
        machine.apply(.relaunchAbandoned("x"))
        machine.advance(to: .seconds(100_000))
        #expect(machine.relaunchDelay(of: "x") == .zero)
    }

    @Test("A shortened backoff counts only its actual length as time without progress")
    func flappingNetworkIsNoLackOfProgress() {
        let machine = Machine(watchesAll: false)
        machine.apply(.submitted(TransferID(1), traits(.discretionary)))
        for round in 0..<400 {
            let time = Duration.seconds(round * 60)
            machine.advance(to: time)
            if machine.endAttempt(TransferID(1)) != nil {
                machine.apply(.failed(TransferID(1), .connection, retryAfter: nil, bytes: 0))
            }
            machine.advance(to: time + .seconds(20))
            machine.change { $0.observe(\.network, .none, at: $1) }
            machine.advance(to: time + .seconds(30))
            machine.change { $0.observe(\.network, .full, at: $1) }
            if machine.openCount == 0 {
                Issue.record("given up after \(machine.elapsed)")
                return
            }
        }
    }

    @Test("Bytes of one app may exhaust the connection's budget and stop other apps")
    func connectionBudgetOfOthers() throws {
        let machine = Machine(watchesAll: false)
        machine.change { $0.observe(\.metered, .yes, at: $1) }
        let (wall, zone) = (machine.now.wall, machine.conditions.localTime)
        var registry = ByteBudgetRegistry()
        registry.apps["a"] = try ByteBudget(limit: 0, billingDay: 1, at: wall, localTime: zone)
        registry.connections["home"] = try ByteBudget(limit: 1000, billingDay: 1, at: wall, localTime: zone)
        machine.apply(.budgetsChanged(registry))
        machine.apply(.submitted(TransferID(1), traits(.userInitiated, host: "1", app: "a")))
        machine.apply(.submitted(TransferID(2), traits(host: "2", app: "b")))
        #expect(machine.attempts.count == 2)
        machine.advance(to: .seconds(1))
        machine.progress(TransferID(1), to: 2000, of: nil)
        #expect(machine.attempts.keys.sorted() == [TransferID(1)])
    }
}
