// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@Suite struct RetryTests {
    @Test("Waits double, and the fifth failure without progress is final")
    func doubling() {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=0s fail 1 timeout
            expect 1 waits backoff
            expect 1 next within 30s 45s
            expect 1 saved 1
            t=100s fail 1 timeout
            expect 1 next within 60s 90s
            t=200s fail 1 connection
            expect 1 next within 120s 180s
            t=400s fail 1 nameResolution
            expect 1 next within 240s 360s
            expect 1 saved 4
            t=800s fail 1 timeout
            expect 1 started 5
            """)
        let machine = Timeline.run(
            """
            t=0s submit 1 normal attempts=1
            t=3s fail 1 timeout
            """)
        #expect(machine.log.last?.effect != .end(TransferID(1), .finished))
        #expect(machine.openCount == 0)
    }

    @Test("User-initiated work waits one second first")
    func userInitiated() {
        Timeline.run(
            """
            t=0s submit 1 userInitiated
            t=0s fail 1 timeout
            expect 1 next within 1s 1.5s
            t=10s fail 1 timeout
            expect 1 next within 2s 3s
            """)
    }

    @Test("After the last attempt, a status is the response and another failure is the error")
    func final() {
        Timeline.run(
            """
            t=0s submit 1 userInitiated attempts=2
            expect 1 starts at 0s
            t=0s fail 1 503
            t=10s fail 1 503
            t=10s submit 2 userInitiated attempts=1
            t=11s fail 2 connection
            """)
        let machine = Timeline.run(
            """
            t=0s submit 1 userInitiated attempts=2
            t=0s fail 1 503
            t=10s fail 1 503
            """)
        #expect(machine.log.contains { $0.effect == .end(TransferID(1), .responded(status: 503)) })
        let other = Timeline.run(
            """
            t=0s submit 2 userInitiated attempts=1
            t=10s fail 2 connection
            """)
        #expect(other.log.contains { $0.effect == .end(TransferID(2), .failed(.connection)) })
    }

    @Test("Discretionary work is retried without limit, unless it has its own limit")
    func discretionary() {
        let lines = (0..<8).map { "t=\(100_000 * $0)s fail 1 timeout" }.joined(separator: "\n")
        #expect(Timeline.run("t=0s submit 1 discretionary\n" + lines).openCount == 1)
        #expect(Timeline.run("t=0s submit 1 discretionary attempts=8\n" + lines).openCount == 0)
        #expect(Timeline.run("t=0s submit 1 discretionary attempts=9\n" + lines).openCount == 1)
    }

    @Test("Progress resets the backoff, also in the store")
    func progress() {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=0s fail 1 timeout
            t=100s fail 1 timeout
            expect 1 saved 2
            t=300s progress 1 1023
            expect 1 saved 2
            t=301s progress 1 1024
            expect 1 saved 0
            t=310s fail 1 timeout
            expect 1 next within 30s 45s
            expect 1 saved 1
            """)
    }

    @Test("Repeated bytes are not progress, even after a restart from byte 0; new bytes are")
    func sameBytes() {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=1s progress 1 5000
            t=2s fail 1 timeout
            t=100s progress 1 5000
            t=101s fail 1 timeout
            expect 1 saved 2
            t=300s restart 1
            t=301s progress 1 4999
            t=302s fail 1 timeout
            expect 1 saved 3
            t=900s restart 1
            t=901s progress 1 6024
            expect 1 saved 0
            t=902s fail 1 timeout
            expect 1 saved 1
            """)
    }

    @Test("Retry-After counts when it is longer, and is cut to a day")
    func retryAfter() {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=0s fail 1 503 retryAfter=3600s
            expect 1 next within 3600s 3600s
            expect 1 started 1
            t=3599s woken
            expect 1 started 1
            t=3600s woken
            expect 1 started 2
            """)
        Timeline.run(
            """
            t=0s submit 1 normal
            t=0s fail 1 503 retryAfter=1s
            expect 1 next within 30s 45s
            t=100s fail 1 503 retryAfter=999h
            expect 1 next within 24h 24h
            """)
    }

    @Test(
        "A permanent failure ends the transfer immediately",
        arguments: ["certificate", "unsupportedURL", "redirect", "destination", "encodedBody", "tooLarge"])
    func willNotPass(cause: String) {
        Timeline.run(
            """
            t=0s submit 1 discretionary
            expect 1 starts at 0s
            t=1s fail 1 \(cause)
            expect 1 ends failed:\(cause) at 1s
            """)
    }

    @Test("A wrong checksum is retried only once")
    func checksum() {
        let machine = Timeline.run(
            """
            t=0s submit 1 discretionary
            t=1s progress 1 10
            t=1s fail 1 checksumMismatch
            t=100s progress 1 10
            expect 1 started 2
            t=101s fail 1 checksumMismatch
            """)
        #expect(machine.log.contains { $0.effect == .end(TransferID(1), .failed(.checksumMismatch)) })
        #expect(machine.openCount == 0)
    }

    @Test("A failure without a network, or just before its loss, costs no attempt")
    func networkLoss() {
        Timeline.run(
            """
            t=0s submit 1 normal loopback
            t=0s submit 2 normal attempts=1
            t=0s submit 3 normal
            t=9s fail 3 connection
            expect 3 saved 1
            t=10s stops unanswered
            t=10s network none
            expect 3 saved 0
            t=10.1s fail 2 connection
            expect 2 waits noNetwork
            expect 3 waits noNetwork
            t=20s network full
            t=20s woken
            expect 2 runs
            expect 3 runs
            """)
    }

    @Test("An earlier failure stays counted, and the network's return ends its backoff")
    func failureLongBefore() {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=0s fail 1 connection
            t=20s network none
            expect 1 waits backoff,noNetwork
            t=25s network full
            expect 1 saved 1
            expect 1 runs
            t=26s fail 1 connection
            expect 1 saved 2
            """)
    }

    @Test("A change between full and limited is not a loss: the backoff stays")
    func connectivityCheck() {
        Timeline.run(
            """
            t=0s submit 1 normal
            t=0s fail 1 connection
            expect 1 saved 1
            t=5s network limited
            t=6s network full
            t=7s network unknown
            t=8s network full
            expect 1 waits backoff
            expect 1 saved 1
            """)
    }

    @Test("Free space is measured until it suffices; then the transfer continues")
    func storage() {
        Timeline.run(
            """
            t=0s submit 1 discretionary
            expect 1 starts at 0s
            t=3s progress 1 10
            t=4s full 1 needed=100 available=7
            expect 1 waits storageLow
            expect 1 released freeSpace:93
            expect 1 saying not enough disk space: needs 100 B, 7 B available — starts after 93 B are freed
            expect wake 19s
            t=4s room 99
            expect quiet until 60s
            t=60s room 100
            expect 1 starts at 64s
            """)
    }

    @Test("Without a result, the measurement is repeated later")
    func storageUnanswered() {
        let machine = Timeline.run(
            """
            t=0s submit 1 discretionary
            t=0s full 1 available=0
            expect 1 released freeSpace:some
            t=100s woken
            expect 1 waits storageLow
            """)
        let times = machine.log.filter { $0.effect == .measureSpace(TransferID(1)) }.map(\.time)
        #expect(times == [15, 30, 45, 60, 75, 90].map { .seconds($0) })
    }
}
