// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// S9: A transfer that is not finished in time fails. §5: A transfer that receives no byte for two weeks fails as
/// well.
@Suite struct ExpiryTests {
    private static func discards(_ machine: Machine) -> Int {
        machine.log.count { if case .discard = $0.effect { true } else { false } }
    }

    @Test(
        "A waiting transfer expires at its date, whatever it waits for (S9)",
        arguments: ["normal", "discretionary", "userInitiated", "normal notBefore=500s", "normal window=3600-7200"])
    func waiting(traits: String) {
        let machine = Timeline.run(
            """
            given network=none
            t=0s submit 1 \(traits) expires=100s
            expect wake 100s
            expect quiet until 99.999s
            expect 1 ends failed:expired at 100s
            expect 1 gone
            expect wake none
            """)
        #expect(Self.discards(machine) == 1)
    }

    @Test("A paused, blocked, backed-off, or slotless transfer expires too")
    func otherwiseWaiting() {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 1
        Timeline.run(
            """
            t=0s submit 1 normal expires=100s
            t=1s fail 1 503
            t=1s submit 2 normal
            t=1s submit 3 normal expires=101s
            t=1s submit 4 normal expires=102s
            t=1s submit 5 normal expires=103s
            t=1s submit 6 normal expires=104s
            t=1s pause 4
            t=1s hold 5 root backup
            t=1s need 6 authentication
            expect order 1,2
            expect 1 ends failed:expired at 100s
            expect 3 ends failed:expired at 101s
            expect 4 ends failed:expired at 102s
            expect 5 ends failed:expired at 103s
            expect 6 ends failed:expired at 104s
            expect 2 runs
            """, configuration: configuration)
    }

    @Test("A running transfer is stopped at its expiry and ends with its attempt (S9)")
    func running() {
        let machine = Timeline.run(
            """
            t=0s stops unanswered
            t=0s submit 1 normal expires=100s
            t=0s submit 2 normal expires=100s
            t=0s submit 3 normal expires=100s
            t=0s submit 4 normal expires=100s
            expect wake 100s
            expect order 1,2,3,4
            expect 1 stops at 100s
            t=101s pause 1
            t=102s stopped 1
            expect 1 ends failed:expired at 102s
            t=103s fail 2 certificate
            expect 2 ends failed:expired at 103s
            t=104s finish 3
            expect 3 ends finished at 104s
            t=104s cancel 4
            t=105s full 4 needed=10 available=0
            expect 4 ends cancelled at 105s
            expect wake none
            """)
        #expect(Self.discards(machine) == 3)
    }

    @Test("A transfer that is submitted after its expiry never starts")
    func past() {
        Timeline.run(
            """
            t=10s submit 1 normal expires=10s
            expect 1 ends failed:expired at 10s
            t=11s submit 2 userInitiated expires=-5s
            expect 2 ends failed:expired at 11s
            expect order
            """)
    }

    @Test("The expiry can be moved in both directions and removed")
    func moved() {
        Timeline.run(
            """
            t=0s submit 1 normal expires=100s
            t=0s submit 2 normal expires=100s
            t=0s submit 3 normal expires=100s
            t=10s change 1 normal expires=200s
            t=10s change 2 normal
            t=10s change 3 normal expires=50s
            expect wake 50s
            expect order 1,2,3
            expect 3 stops at 50s
            expect 3 ends failed:expired at 50s
            expect quiet until 199s
            expect 1 stops at 200s
            expect 1 ends failed:expired at 200s
            expect wake none
            expect 2 runs
            """)
    }

    @Test("The expiry follows the wall clock")
    func wallClock() {
        Timeline.run(
            """
            t=0s submit 1 normal expires=1000s
            t=0s submit 2 normal expires=3000s
            t=10s wall 500s
            expect wake 500s
            t=20s wall -520s
            expect wake 1020s
            expect order 1,2
            t=30s wall 1000s
            expect 1 stops at 30s
            t=31s wall -1000s
            t=32s submit 3 normal expires=100s
            expect wake 120s
            expect 3 starts at 32s
            expect 3 stops at 120s
            t=140s wall 5000s
            expect 2 stops at 140s
            expect wake none
            """)
    }

    @Test("A transfer that expired while the daemon was off ends at recovery")
    func recovered() {
        Timeline.run(
            """
            t=100s recover 1 normal expires=50s bytes=10
            t=100s recover 2 normal expires=50s paused
            t=100s recover 3 normal expires=101s
            expect 1 ends failed:expired at 100s
            expect 2 ends failed:expired at 100s
            expect 3 starts at 100s
            expect 3 stops at 101s
            """)
    }

    @Test("A transfer that ends before its expiry leaves no wake-up")
    func noWakeLeft() {
        Timeline.run(
            """
            t=0s submit 1 normal expires=100s
            t=0s submit 2 normal expires=200s
            t=0s submit 3 normal expires=200s
            t=10s finish 1
            expect wake 200s
            t=11s cancel 2
            t=12s fail 3 certificate
            expect wake none
            """)
    }

    // MARK: No progress

    private static var impatient: SchedulerConfiguration {
        var configuration = SchedulerConfiguration()
        configuration.longestWithoutProgress = .seconds(3000)
        return configuration
    }

    @Test("Attempts and waits without progress add up until the transfer fails (§5)")
    func noProgress() {
        Timeline.run(
            """
            t=0s submit 1 discretionary
            t=100s fail 1 503 retryAfter=1000s
            t=1200s fail 1 503 retryAfter=1000s
            t=2299s fail 1 503 retryAfter=700s
            expect 1 waits backoff
            expect order 1,1,1
            expect 1 starts at 2999s
            t=3000s fail 1 connection
            expect 1 ends failed:noProgress at 3000s
            """, configuration: impatient)
    }

    private var impatient: SchedulerConfiguration { Self.impatient }

    @Test("The default limit without progress is fourteen days, to the second (§5)")
    func fourteenDays() {
        let days = (0..<13).map { "t=\($0 * 86_400)s fail 1 503 retryAfter=24h" }.joined(separator: "\n")
        Timeline.run(
            """
            t=0s submit 1 discretionary
            \(days)
            t=1123200s woken
            expect 1 runs
            t=1123200s fail 1 503 retryAfter=86399s
            expect 1 waits backoff
            """)
        Timeline.run(
            """
            t=0s submit 1 discretionary
            \(days)
            t=1123200s fail 1 503 retryAfter=24h
            expect 1 gone
            """)
    }

    @Test("One new byte resets the time without progress; repeated bytes do not (§5)")
    func newByte() {
        Timeline.run(
            """
            t=0s submit 1 discretionary
            t=100s progress 1 5
            t=1000s fail 1 503 retryAfter=1000s
            t=2000s restart 1
            t=2100s progress 1 5
            t=2200s fail 1 503 retryAfter=899s
            expect 1 waits backoff
            t=3099s progress 1 6
            t=3099s fail 1 503 retryAfter=2999s
            expect 1 waits backoff
            t=6098s fail 1 503
            expect 1 gone
            """, configuration: impatient)
    }

    @Test("Waits for conditions, slots, or users do not count (§5)")
    func otherWaits() {
        Timeline.run(
            """
            t=0s submit 1 discretionary
            t=0s fail 1 503 retryAfter=1000s
            t=1s pause 1
            t=5000s resume 1
            expect 1 runs
            t=5001s network none
            expect 1 waits noNetwork
            t=99999s network full
            t=100010s fail 1 503 retryAfter=1900s
            expect 1 waits backoff
            """, configuration: impatient)
    }
}
