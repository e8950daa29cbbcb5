// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@Suite("Deadlines that the scheduler keeps")
struct DeadlineTests {
    /// A machine on battery and an unmetered network, where the policy waits for AC power until the slack is used up.
    private func machine(_ configuration: SchedulerConfiguration = SchedulerConfiguration()) -> Machine {
        let machine = Machine(configuration: configuration, policy: HorizonPolicy(floor: .zero, factor: 0))
        machine.change { conditions, now in
            conditions.observe(\.power, .battery, at: now)
            conditions.observe(\.battery, BatteryState(level: 15), at: now)
        }
        return machine
    }

    private func traits(
        by deadline: Int64?, bytes: Int64? = nil, kind: WorkKind = .discretionary, limit: Int64? = nil,
        host: String = "h", metered: MeteredConstraint = .unstated, at now: WallTime = Machine.start.wall
    ) -> TransferTraits {
        var traits = TransferTraits(
            kind: kind,
            constraints: Constraints(
                metered: metered,
                deadline: deadline.map { DeadlineConstraint(Machine.start.wall.advanced(by: .seconds($0))) }),
            host: host, expectedBytesToReceive: bytes, submitted: now)
        traits.rateLimit = limit
        return traits
    }

    private func starts(_ machine: Machine) -> [Double] {
        machine.log.compactMap { entry in
            guard case .start = entry.effect else { return nil }
            return Double(entry.time.wholeNanoseconds) / 1e9
        }
    }

    private func reports(_ machine: Machine) -> [String] {
        machine.log.compactMap { entry in
            guard case .reportDeadline(let id, let state) = entry.effect else { return nil }
            return "\(id.rawValue) \(state) @\(entry.time.components.seconds)"
        }
    }

    @Test("A transfer on battery starts early enough, not at its deadline")
    func reservesTime() {
        let machine = machine()
        // 62.5 MB at the assumed 625 kB/s take 100 s, times 1.5.
        machine.apply(.submitted(TransferID(1), traits(by: 3600, bytes: 62_500_000)))
        machine.advance(to: .seconds(3600))
        #expect(starts(machine) == [3450])
    }

    @Test("The explanation names the latest start and the deadline")
    func sentence() {
        let machine = machine()
        machine.apply(.submitted(TransferID(1), traits(by: 3600, bytes: 62_500_000)))
        machine.advance(to: .seconds(60))
        let explanation = machine.explanation(of: TransferID(1))
        #expect(explanation?.deadline?.latestStart == Machine.start.wall.advanced(by: .seconds(3450)))
        #expect(
            explanation?.sentence(localTime: .utc).contains(
                "starts Mon 23 Nov 00:57:30 at the latest, to be done by Mon 23 Nov 01:00:00") == true,
            "\(explanation?.sentence(localTime: .utc) ?? "")")
    }

    @Test("An unknown size and an unknown rate are assumed")
    func assumptions() {
        let machine = machine()
        machine.apply(.submitted(TransferID(1), traits(by: 3600)))
        machine.advance(to: .seconds(3600))
        // 64 MB at 625 kB/s, times 1.5.
        #expect(starts(machine) == [3446.4])
    }

    @Test("The backlog with the same or an earlier deadline counts, and later deadlines do not")
    func backlog() {
        let machine = machine()
        machine.apply(.submitted(TransferID(1), traits(by: 3600, bytes: 62_500_000, host: "a")))
        machine.apply(.submitted(TransferID(2), traits(by: 3600, bytes: 125_000_000, host: "b")))
        machine.apply(.submitted(TransferID(3), traits(by: 36_000, bytes: 62_500_000, host: "c")))
        machine.advance(to: .seconds(3600))
        // 300 s times 1.5 before the first deadline.
        #expect(starts(machine) == [3150, 3150])
        machine.apply(.cancelled(TransferID(2)))
        machine.apply(.cancelled(TransferID(1)))
        machine.advance(to: .seconds(36_000))
        #expect(starts(machine) == [3150, 3150, 35_850])
    }

    @Test("The rate that the connection has shown replaces the assumption, also after a restart")
    func measuredRate() {
        let machine = machine()
        machine.apply(.submitted(TransferID(1), traits(by: 7200, bytes: 62_500_000)))
        machine.apply(.submitted(TransferID(2), traits(by: nil, kind: .userInitiated)))
        machine.advance(to: .seconds(10))
        // 62.5 kB/s: a tenth of the assumption.
        machine.progress(TransferID(2), to: 625_000, of: nil)
        machine.restartAndRecover()
        machine.advance(to: .seconds(7200))
        // 1000 s, times 1.5.
        #expect(starts(machine).contains(5700), "\(starts(machine))")
    }

    @Test("A limit on the rate counts if it is below the known rate")
    func limits() {
        var configuration = SchedulerConfiguration()
        configuration.rateLimit = 62_500
        let whole = machine(configuration)
        whole.apply(.submitted(TransferID(1), traits(by: 7200, bytes: 62_500_000)))
        whole.advance(to: .seconds(7200))
        #expect(starts(whole) == [5700])
        let own = machine()
        own.apply(.submitted(TransferID(1), traits(by: 7200, bytes: 62_500_000, limit: 62_500)))
        own.advance(to: .seconds(7200))
        #expect(starts(own) == [5700])
    }

    @Test("A transfer's own limit does not slow down the work before it")
    func ownLimit() {
        let machine = machine()
        // 625 MB at the assumed 625 kB/s take 1,000 s; 1 MB at 10 kB/s takes 100 s. Both times 1.5.
        machine.apply(.submitted(TransferID(1), traits(by: 36_000, bytes: 625_000_000, host: "a")))
        machine.apply(.submitted(TransferID(2), traits(by: 36_000, bytes: 1_000_000, limit: 10_000, host: "b")))
        machine.advance(to: .seconds(36_000))
        #expect(starts(machine).contains(34_350), "\(starts(machine))")
    }

    @Test("A transfer that started to meet its deadline goes on when the connection turns out to be fast")
    func goesOn() {
        let machine = machine()
        machine.apply(.submitted(TransferID(1), traits(by: 3600, bytes: 62_500_000)))
        machine.advance(to: .seconds(3450))
        #expect(starts(machine) == [3450])
        machine.advance(to: .seconds(3453))
        machine.progress(TransferID(1), to: 30_000_000, of: 62_500_000)
        machine.apply(.woken)
        machine.advance(to: .seconds(3460))
        #expect(machine.occupiesSlot(TransferID(1)))
        #expect(!machine.log.contains { $0.effect == .stop(TransferID(1)) })
    }

    @Test("A deadline in danger is reported once, and a missed deadline once, even across a restart")
    func reportsOnce() {
        let machine = Machine()
        machine.change { conditions, now in conditions.observe(\.metered, .yes, at: now) }
        machine.apply(.submitted(TransferID(1), traits(by: 3600, bytes: 62_500_000)))
        machine.advance(to: .seconds(3550))
        #expect(reports(machine) == ["1 atRisk @3500"])
        machine.restartAndRecover()
        machine.advance(to: .seconds(4000))
        machine.restartAndRecover()
        machine.apply(.woken)
        #expect(reports(machine) == ["1 atRisk @3500", "1 missed @3600"])
        let sentence = machine.explanation(of: TransferID(1))?.sentence(localTime: .utc) ?? ""
        #expect(sentence.hasSuffix("late: was due Mon 23 Nov 01:00:00"), "\(sentence)")
    }

    @Test("A growing backlog endangers a waiting transfer earlier, and a shrinking one later")
    func changingBacklog() {
        let machine = Machine()
        machine.change { conditions, now in conditions.observe(\.metered, .yes, at: now) }
        // 62.5 MB at the assumed 625 kB/s take 100 s.
        for (id, deadline) in [(1, 3600), (2, 3550), (3, 7200), (4, 7150)] as [(Int64, Int64)] {
            machine.apply(.submitted(TransferID(id), traits(by: deadline, bytes: 62_500_000)))
            machine.advance(to: .seconds(id))
        }
        machine.apply(.cancelled(TransferID(4)))
        machine.advance(to: .seconds(7050))
        let risks = reports(machine).filter { $0.contains("atRisk") }
        // The transfers that missed their deadlines still wait before the third.
        #expect(risks == ["1 atRisk @3400", "2 atRisk @3450", "3 atRisk @6900"])
    }

    @Test("A running transfer that is too slow is reported with its progress")
    func slow() {
        let machine = Machine()
        machine.apply(.submitted(TransferID(1), traits(by: 1000, bytes: 100_000)))
        machine.advance(to: .seconds(10))
        machine.progress(TransferID(1), to: 1000, of: 100_000)
        #expect(reports(machine).isEmpty)
        machine.advance(to: .seconds(400))
        machine.progress(TransferID(1), to: 1010, of: 100_000)
        #expect(reports(machine) == ["1 atRisk @400"])
    }

    @Test("A new deadline is reported again")
    func changedDeadline() {
        let machine = Machine()
        machine.change { conditions, now in conditions.observe(\.metered, .yes, at: now) }
        machine.apply(.submitted(TransferID(1), traits(by: 100, bytes: 1)))
        machine.advance(to: .seconds(100))
        machine.apply(.changed(TransferID(1), traits(by: 200, bytes: 1)))
        machine.advance(to: .seconds(300))
        #expect(reports(machine).filter { $0.contains("missed") } == ["1 missed @100", "1 missed @200"])
    }

    @Test("A transfer that ends in time is not reported")
    func inTime() {
        let machine = Machine()
        machine.apply(.submitted(TransferID(1), traits(by: 100, bytes: 1000)))
        machine.advance(to: .seconds(10))
        _ = machine.endAttempt(TransferID(1))
        machine.apply(.finished(TransferID(1)))
        machine.advance(to: .seconds(200))
        #expect(reports(machine).isEmpty)
        #expect(machine.wake == nil)
    }
}
