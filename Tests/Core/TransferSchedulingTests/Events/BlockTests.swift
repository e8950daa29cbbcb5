// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// §6: Blocked transfers, and transfers that need their app.
@Suite struct BlockTests {
    @Test("A waiting transfer does not start while blocked, and starts after its release")
    func waiting() {
        Timeline.run(
            """
            given network=none
            t=0s submit 1 normal
            t=1s hold 1 root backup
            expect 1 waits noNetwork,held
            t=2s network full
            expect 1 because held:root:backup
            expect 1 looked never
            expect wake none
            expect quiet until 100h
            t=101h release 1
            expect 1 starts at 101h
            """)
    }

    @Test("A running transfer is stopped while blocked and continues after its release")
    func running() {
        Timeline.run(
            """
            t=0s submit 1 userInitiated
            t=1s progress 1 10
            t=2s hold 1 root backup
            expect 1 starts at 0s
            expect 1 stops at 2s
            expect 1 because held:root:backup
            t=3s release 1
            expect 1 starts at 3s
            """)
    }

    @Test(
        "A required app action stops the transfer until it is done",
        arguments: ["authentication", "delayedBegin", "notRegistered"])
    func needs(need: String) {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=0s submit 2 normal
            t=1s need 1 \(need)
            expect 1 starts at 0s
            expect 1 stops at 1s
            expect 1 because needsApp:\(need)
            expect 1 released openApp
            expect wake none
            t=2s answer 1
            expect 1 starts at 2s
            expect 2 runs
            """)
    }

    @Test("Both reasons are reported together, and both must end")
    func both() {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=1s need 1 authentication
            t=2s hold 1 root backup
            expect 1 starts at 0s
            expect 1 stops at 1s
            expect 1 because held:root:backup,needsApp:authentication
            expect 1 released
            t=3s answer 1
            expect 1 because held:root:backup
            expect 1 released release:root
            t=4s release 1
            expect 1 starts at 4s
            """)
    }

    @Test("A second block replaces the first, and one release ends it")
    func twice() {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=1s hold 1 root backup
            t=2s hold 1 lab measurement
            expect 1 because held:lab:measurement
            t=3s release 1
            expect 1 runs
            t=4s release 1
            t=4s answer 1
            expect 1 runs
            """)
    }

    @Test("A transfer that is also paused waits for both")
    func paused() {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=1s hold 1 root backup
            t=2s pause 1
            t=3s release 1
            expect 1 waits suspended
            t=4s hold 1 root backup
            t=5s resume 1
            expect 1 waits held
            t=6s release 1
            expect 1 runs
            """)
    }

    @Test("A block or release during a stop counts when the stop has ended")
    func whileStopping() {
        Timeline.run(
            """
            t=0s stops unanswered
            t=0s submit 1 normal
            t=1s metered yes
            t=1s change 1 normal metered=unmetered
            t=2s hold 1 root backup
            t=3s metered no
            t=4s stopped 1
            expect 1 waits held
            t=5s release 1
            expect 1 runs
            t=6s hold 1 root backup
            t=7s release 1
            t=8s stopped 1
            expect 1 runs
            """)
    }

    @Test("A failure while blocked still counts, and its backoff is also reported")
    func failing() {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=1s fail 1 503 retryAfter=100s
            t=2s hold 1 root backup
            expect 1 because backoff:1:status,held:root:backup
            t=200s woken
            expect 1 because held:root:backup
            t=201s release 1
            expect 1 runs
            """)
    }

    @Test("A blocked transfer loses its slot and queues again after its release")
    func slots() {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 1
        Timeline.run(
            """
            t=0s submit 1 normal
            t=0s submit 2 normal
            t=1s hold 1 root backup
            expect 2 starts at 1s
            t=2s release 1
            expect 1 because waitingForSlot:global
            t=3s finish 2
            expect 1 starts at 3s
            """, configuration: configuration)
    }

    @Test("A block of an unknown transfer does nothing")
    func unknown() {
        let machine = Timeline.run(
            """
            t=0s hold 7 root backup
            t=0s release 7
            t=0s need 7 authentication
            t=0s answer 7
            t=1s submit 7 normal
            expect 7 starts at 1s
            """)
        #expect(machine.openCount == 1)
    }

    @Test("The sentence names the holder and the reason")
    func sentence() {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=60s hold 1 root backup
            expect 1 saying held by root: backup since 00:01 — starts after root releases it
            """)
    }
}
