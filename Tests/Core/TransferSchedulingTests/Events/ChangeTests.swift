// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// §2: Changes of a transfer's requirements and of the policy while the transfer waits or runs.
@Suite struct ChangeTests {
    @Test("Loosened constraints start waiting transfers; tightened ones stop running transfers")
    func constraints() {
        Timeline.run(
            """
            given power=battery metered=yes
            t=0s submit 1 normal metered=unmetered
            t=0s submit 2 normal
            expect 1 waits metered
            t=1s change 1 normal
            expect 1 starts at 1s
            t=2s change 2 normal metered=unmetered
            expect 2 stops at 2s
            t=3s change 2 normal
            expect 2 starts at 3s
            t=10s change 2 normal power=ac
            expect 2 stops at 10s
            """)
    }

    @Test("A transfer made user-initiated starts immediately and waits again if reverted")
    func kind() {
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary
            expect 1 waits onBattery
            expect wake 259200s
            t=1s change 1 userInitiated
            expect 1 starts at 1s
            expect wake none
            t=20s change 1 discretionary
            expect 1 stops at 20s
            expect 1 waits onBattery
            expect wake 259200s
            """)
    }

    @Test("A user-initiated transfer bypasses the queue and uses the shorter backoff")
    func startNow() {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 1
        Timeline.run(
            """
            t=0s submit 1 normal
            t=0s submit 2 normal
            t=0s submit 3 normal
            t=0s submit 4 userInitiated
            t=1s change 3 userInitiated priority=900
            t=2s finish 1
            expect 3 starts at 2s
            t=3s fail 3 503
            expect 3 next within 1s 1.5s
            """, configuration: configuration)
    }

    @Test("Priority and deadline reorder waiting transfers")
    func order() {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 1
        Timeline.run(
            """
            t=0s submit 1 normal
            t=0s submit 2 normal
            t=0s submit 3 normal
            t=0s submit 4 normal deadline=5000s
            t=0s submit 5 normal deadline=6000s
            t=1s change 2 normal priority=1
            t=1s change 5 normal deadline=4000s
            t=2s finish 1
            t=3s finish 5
            t=4s finish 4
            t=5s finish 3
            expect order 1,5,4,3,2
            """, configuration: configuration)
    }

    @Test("A moved date moves the wake-up; a removed date starts the transfer")
    func dates() {
        Timeline.run(
            """
            t=0s submit 1 normal notBefore=100s
            expect wake 100s
            t=1s change 1 normal notBefore=200s
            expect wake 200s
            t=2s change 1 normal notBefore=50s
            expect wake 50s
            expect 1 starts at 50s
            t=60s change 1 normal notBefore=70s
            expect 1 stops at 60s
            expect 1 starts at 70s
            t=80s change 1 normal notBefore=1000s
            t=81s change 1 normal
            expect 1 stops at 80s
            expect 1 starts at 81s
            """)
    }

    @Test("A wall clock set back before a passed date stops running transfers")
    func wallClockBack() {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 1
        Timeline.run(
            """
            t=0s submit 1 normal notBefore=100s
            t=0s submit 2 normal notBefore=100s
            t=0s submit 3 normal notBefore=100s window=0-7200
            t=110s pause 3
            expect 1 starts at 100s
            expect 2 because waitingForSlot:global
            t=150s wall -100s
            expect 1 stops at 150s
            expect 1 because notBefore:100s
            expect 2 because notBefore:100s
            expect wake 200s
            t=151s resume 3
            expect 3 because notBefore:100s
            t=200s woken
            expect 1 runs
            expect 3 because waitingForSlot:global
            """, configuration: configuration)
    }

    @Test("A new window stops transfers outside it; setting the clock into it starts them")
    func windows() {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=10s change 1 normal window=3600-7200
            expect 1 starts at 0s
            expect 1 stops at 10s
            expect 1 because outsideWindow:3600s
            expect wake 3600s
            t=20s wall 1h
            expect 1 starts at 20s
            t=30s wall -1h
            expect 1 stops at 30s
            t=40s change 1 normal window=0-100
            expect 1 starts at 40s
            expect 1 stops at 100s
            """)
    }

    @Test("Another policy applies immediately to waiting and running transfers (§2)")
    func policy() {
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary
            t=0s submit 2 normal
            t=0s submit 3 discretionary metered=allowed
            expect 1 waits onBattery
            t=1s policy unmetered
            expect 1 starts at 1s
            expect 3 runs
            t=2s metered yes
            expect 1 stops at 2s
            expect 1 waits metered
            t=3s policy immediate
            expect 1 waits settling
            expect 1 starts at 7s
            t=10s policy default
            expect 1 stops at 10s
            expect 1 waits onBattery,metered
            expect 2 runs
            """)
    }

    @Test("A plain policy can replace a phased policy, and vice versa")
    func policyWithoutPhases() {
        Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary app=x
            t=0s submit 2 discretionary power=ac app=x
            expect 1 waits onBattery
            t=10s policy plain
            expect 1 starts at 10s
            expect 2 waits onBattery
            t=20s policy default
            expect 1 stops at 20s
            t=30s policy unmetered
            expect 1 starts at 30s
            t=40s submit 3 discretionary
            expect 3 starts at 40s
            t=50s policy default
            t=60s policy plain
            t=70s power ac
            expect 2 waits settling
            expect 2 starts at 80s
            """)
    }

    @Test("A change without effect, or of an unknown transfer, does nothing")
    func nothing() {
        let machine = Timeline.run(
            """
            given power=battery
            t=0s submit 1 discretionary priority=10
            t=1s woken
            """)
        let count = machine.log.count
        guard let traits = machine.store[TransferID(1)]?.traits else { return #expect(Bool(false)) }
        #expect(machine.apply(.changed(TransferID(1), traits)).isEmpty)
        #expect(machine.apply(.changed(TransferID(2), traits)).isEmpty)
        #expect(machine.log.count == count && machine.openCount == 1)
    }
}
