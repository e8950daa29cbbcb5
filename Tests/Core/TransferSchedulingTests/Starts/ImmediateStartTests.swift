// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// Transfers that arrive while no other transfer waits. They bypass the ready queue, if the queue would let them
/// start.
///
/// The first transfer of a kind never bypasses the queue. Each test therefore submits and ends another transfer
/// first.
@Suite struct ImmediateStartTests {
    @Test("An exhausted budget blocks the transfer")
    func budget() {
        Timeline.run(
            """
            given metered=yes
            t=0s budget app=x limit=1000
            t=0s submit 1 normal app=x
            t=1s progress 1 2000
            expect 1 waits budgetSpent
            t=2s cancel 1
            t=3s submit 2 normal app=x
            expect 2 waits budgetSpent
            t=3s submit 3 normal app=y
            expect 3 runs
            t=4s cancel 2
            t=5s submit 4 normal app=y
            expect 4 runs
            t=6s submit 5 userInitiated app=x
            expect 5 runs
            """)
    }

    @Test("A policy that limits run times is evaluated as for a queued transfer", arguments: [0, 3610])
    func end(submitted: Int) {
        Timeline.run(
            """
            given power=battery
            t=0s submit 9 discretionary
            t=0s cancel 9
            t=\(submitted)s submit 1 discretionary
            expect 1 starts at \(max(submitted, 3600))s
            expect 1 stops at 3900s
            """, policy: Opening())
    }

    /// A policy that lets transfers run from 3600 s until 3900 s.
    private struct Opening: Policy {
        func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
            let opens = Machine.start.advanced(by: .seconds(3600))
            let closes = Machine.start.advanced(by: .seconds(3900))
            if context.now.instant < opens.instant {
                let reason = WaitReason(.outsideWindow(opens: opens.wall), since: context.now)
                return .wait([reason], reevaluateAt: opens.instant)
            }
            guard context.now.instant < closes.instant else {
                return .wait([WaitReason(.outsideWindow(opens: nil), since: context.now)], reevaluateAt: nil)
            }
            return .run(relyingOn: [], reevaluateAt: closes.instant)
        }
    }

    @Test("A wait reason may end by time alone")
    func over() {
        let end = Machine.start.instant.advanced(by: .seconds(100))
        let machine = Machine(policy: Until(end: end), watchesAll: false)
        func submit(_ id: Int64) -> [Effect] {
            machine.apply(
                .submitted(
                    TransferID(id), TransferTraits(kind: .discretionary, host: "a", submitted: machine.now.wall)))
        }
        for id in Int64(1)...2 {
            #expect(submit(id).contains(.start(TransferID(id))))
            machine.apply(.finished(TransferID(id)))
        }
        machine.move(to: end)
        #expect(!submit(3).contains(.start(TransferID(3))))
    }

    /// A policy that allows starts until a given time. Running transfers continue.
    private struct Until: PhasedPolicy {
        let end: Instant
        var mayEndRunsByTime: Bool { false }

        func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
            if subject.isRunning { return .run(relyingOn: [], reevaluateAt: nil) }
            guard context.now.instant < end else {
                return .wait([WaitReason(.outsideWindow(opens: nil), since: context.now)], reevaluateAt: nil)
            }
            return .run(relyingOn: [], reevaluateAt: context.reevaluation(at: end))
        }

        func phaseCount(withDeadline hasDeadline: Bool) -> Int { 1 }
        func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase { RelaxationPhase() }
        func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
            verdict(for: subject, in: context)
        }

        func stateKey(in context: PolicyContext) -> PolicyStateKey {
            context.now.instant < end ? PolicyStateKey(0, until: context.reevaluation(at: end)) : PolicyStateKey(1)
        }
    }

    @Test("Full slots block the transfer until one is free")
    func slots() {
        var configuration = SchedulerConfiguration()
        (configuration.slotsPerHost, configuration.slotsPerApp) = (1, 2)
        Timeline.run(
            """
            t=0s submit 1 normal app=x host=a
            expect 1 runs
            t=1s submit 2 normal app=x host=a
            expect 2 waits waitingForSlot
            t=2s cancel 2
            t=3s submit 3 normal app=x host=b
            expect 3 runs
            t=4s submit 4 normal app=x host=c
            expect 4 waits waitingForSlot
            t=5s finish 1
            expect 4 starts at 5s
            """, configuration: configuration)
    }

    @Test("A waiting transfer that may start at the same time goes first")
    func dueTogether() {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 1
        let machine = Machine(configuration: configuration, watchesAll: false)
        func traits(notBefore: Duration? = nil) -> TransferTraits {
            var constraints = Constraints()
            constraints.notBefore = notBefore.map { NotBeforeConstraint(Machine.start.wall.advanced(by: $0)) }
            return TransferTraits(
                kind: .normal, constraints: constraints, host: "a", submitted: Machine.start.wall)
        }
        machine.apply(.submitted(TransferID(1), traits()))
        machine.apply(.finished(TransferID(1)))
        machine.apply(.submitted(TransferID(2), traits(notBefore: .seconds(10))))
        // The event arrives before the wake-up that is due.
        machine.move(to: Machine.start.instant.advanced(by: .seconds(10)))
        let effects = machine.apply(.submitted(TransferID(3), traits()))
        #expect(effects.contains(.start(TransferID(2))))
        #expect(!effects.contains(.start(TransferID(3))))
    }

    @Test("The transfer's own attempt limit is kept")
    func attempts() {
        Timeline.run(
            """
            t=0s submit 9 normal
            t=0s finish 9
            t=0s submit 1 normal attempts=1
            expect 1 runs
            t=1s fail 1 503
            expect 1 gone
            t=2s submit 2 normal attempts=2
            t=3s fail 2 503
            expect 2 waits backoff
            """)
    }

    @Test("An immediate start resets the aging of its level")
    func ageing() {
        var configuration = SchedulerConfiguration()
        (configuration.globalSlots, configuration.agingInterval) = (1, 2)
        Timeline.run(
            """
            t=0s submit 1 normal priority=900
            t=1s submit 2 normal priority=100
            t=1s submit 3 normal priority=900
            t=2s finish 1
            t=3s cancel 2
            t=4s finish 3
            t=5s submit 4 normal priority=100
            t=6s submit 5 normal priority=100
            t=6s submit 6 normal priority=900
            t=6s submit 7 normal priority=900
            t=6s submit 8 normal priority=900
            t=7s finish 4
            t=8s finish 6
            t=9s finish 7
            expect order 1,3,4,6,7,5
            """, configuration: configuration)
    }

    @Test("A transfer that expires at submission never starts")
    func expiry() {
        Timeline.run(
            """
            t=0s submit 9 normal
            t=1s finish 9
            t=10s submit 1 normal expires=10s
            expect 1 gone
            t=10s submit 2 normal expires=20s
            expect 2 starts at 10s
            t=20s submit 3 normal
            expect 2 gone
            expect order 9,2,3
            """)
    }
}
