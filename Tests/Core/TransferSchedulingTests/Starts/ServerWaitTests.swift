// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// A server that answers 429 or 503 with `Retry-After` holds back all transfers to it (rule N5).
@Suite struct ServerWaitTests {
    @Test("N5: a wait that a server requests holds back its other transfers, and no transfer to another server")
    func others() {
        Timeline.run(
            """
            t=0s submit 1 normal host=h
            t=0s submit 2 normal host=h
            t=0s submit 3 normal host=h
            t=1s asked h for 100s
            t=1s fail 1 429 retryAfter=100s
            expect 2 runs
            expect 1 waits backoff
            expect 3 waits retryAfter
            expect 3 because retryAfter:101s
            expect 3 saying the server asked to wait until Mon 23 Nov 00:01:41 — starts Mon 23 Nov 00:01:41
            expect 3 looked 101s
            t=2s submit 4 userInitiated host=h
            t=2s submit 5 normal host=g
            expect 4 waits retryAfter
            expect 5 runs
            expect order 1,2,5
            expect wake 101s
            expect quiet until 100s
            expect 4 starts at 101s
            """)
    }

    @Test("N5: the transfers start as soon as the wait ends, within the server's slots")
    func end() {
        Timeline.run(
            """
            t=0s asked h for 10s
            t=0s submit 1 normal host=h
            t=0s submit 2 normal host=h
            t=0s submit 3 normal host=h
            expect 1 starts at 10s
            expect 2 starts at 10s
            expect 3 waits waitingForSlot
            """)
    }

    @Test("N5: the longest wait counts, at most a day")
    func longest() {
        Timeline.run(
            """
            t=0s asked h for 100s
            t=1s asked h for 10s
            t=1s submit 1 normal host=h
            expect 1 because retryAfter:100s
            t=1.5s asked h for 99.4s
            expect 1 because retryAfter:100s
            expect 1 told 1s
            t=2s asked h for 99s
            expect 1 because retryAfter:101s
            t=2s asked h for 999h
            expect 1 because retryAfter:86402s
            t=2s asked g for -5s
            t=2s submit 2 normal host=g
            expect 2 runs
            """)
    }

    @Test("N5: a transfer whose own backoff ends earlier still waits for its server")
    func backoff() {
        Timeline.run(
            """
            t=0s submit 1 userInitiated host=h
            expect 1 starts at 0s
            t=0s asked h for 100s
            t=1s fail 1 connection
            expect 1 waits backoff,retryAfter
            t=50s woken
            expect 1 waits retryAfter
            expect 1 starts at 100s
            """)
    }

    @Test("N5: other reasons count as well, and a wait that has ended needs no wake-up")
    func reasons() {
        Timeline.run(
            """
            t=0s network none
            t=0s asked h for 100s
            t=0s submit 1 normal host=h
            expect 1 waits retryAfter,noNetwork
            expect wake 100s
            t=200s woken
            expect 1 waits noNetwork
            expect wake none
            """)
    }

    @Test("N5: a user who wants a transfer now lets its server be asked again")
    func resume() {
        Timeline.run(
            """
            t=0s submit 1 normal host=h
            expect 1 starts at 0s
            t=0s asked h for 100s
            t=0s fail 1 503 retryAfter=100s
            t=1s submit 2 normal host=h
            t=2s pause 2
            t=3s resume 2
            expect 2 waits retryAfter
            t=4s resume 1
            expect 1 starts at 4s
            expect 2 starts at 4s
            """)
    }

    @Test("N5: a restart keeps the wait, and each wait is saved once")
    func restart() {
        Timeline.run(
            """
            t=0s submit 1 normal host=h
            t=0s asked h for 100s
            t=0s asked h for 100s
            expect learned 1
            t=0s fail 1 503 retryAfter=100s
            t=1s submit 2 normal host=h
            t=10s crash
            expect 2 because retryAfter:100s
            expect 2 starts at 100s
            """)
    }

    @Test("N5: the statistics keep the waits in their stored form, and read a form without them")
    func stored() throws {
        let machine = Timeline.run("t=0s asked h for 100s")
        #expect(machine.statistics.serverWaits == ["h": Machine.start.wall.advanced(by: .seconds(100))])
        machine.advance(to: .seconds(100))
        #expect(machine.statistics.serverWaits.isEmpty)
    }

    @Test("N5: a new policy keeps the wait, and a policy without phases respects it")
    func policies() {
        Timeline.run(
            """
            t=0s asked h for 100s
            t=0s policy plain
            t=0s submit 1 discretionary host=h
            expect 1 waits retryAfter
            expect 1 starts at 100s
            """)
    }

    @Test("N5: the time of the wait is counted")
    func waited() {
        Timeline.run(
            """
            t=0s asked h for 100s
            t=0s submit 1 normal host=h
            t=30s woken
            expect 1 waited retryAfter=30s
            """)
    }
}
