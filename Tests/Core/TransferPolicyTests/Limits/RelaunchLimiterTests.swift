// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite("RelaunchLimiter")
struct RelaunchLimiterTests {
    @Test("Worked example: 60, 120, and 240 s after launches at 22:02:42, 22:03:53, and 22:04:52")
    func workedExample() {
        var limiter = RelaunchLimiter()
        limiter.relaunched(at: clock(22, 2, 42))
        #expect(limiter.delay(at: clock(22, 2, 42)) == .seconds(60))
        let first = limiter.taskStartedInBackground(at: clock(22, 2, 45))
        #expect(first.flatMap(limiter.release) == clock(22, 3, 42))

        // The delayed transfer begins at the end of the period, and its end launches the app. The delay was kept in
        // between.
        #expect(limiter.delay(at: clock(22, 3, 52)) == .seconds(60))
        limiter.end(first, causesRelaunch: true, at: clock(22, 3, 53))
        limiter.relaunched(at: clock(22, 3, 53))
        #expect(limiter.delay(at: clock(22, 3, 53)) == .seconds(120))
        let second = limiter.taskStartedInBackground(at: clock(22, 3, 55))
        #expect(second.flatMap(limiter.release) == clock(22, 5, 53))

        // The third launch comes from a task that was running before and was never delayed.
        limiter.relaunched(at: clock(22, 4, 52))
        #expect(limiter.delay(at: clock(22, 4, 52)) == .seconds(240))
        let third = limiter.taskStartedInBackground(at: clock(22, 4, 53))
        #expect(third.flatMap(limiter.release) == clock(22, 8, 52))
        #expect(second.flatMap(limiter.release) == clock(22, 5, 53), "a task given before a start is not delayed by it")
        #expect(limiter.nextChange(after: clock(22, 4, 53)) == clock(22, 5, 53))
    }

    @Test("A task of an app that was never launched is not delayed")
    func noDelayAtFirst() {
        var limiter = RelaunchLimiter()
        let free = limiter.taskStartedInBackground(at: clock(1, 0, 0))
        #expect(free == nil)
        #expect(limiter.delay(at: clock(1, 0, 0)) == .zero)
        #expect(limiter.nextChange(after: clock(1, 0, 0)) == nil)
    }

    @Test("The period ends exactly: a nanosecond before, at, and after the end", arguments: [-1, 0, 1] as [Int64])
    func boundaryOfQuietPeriod(offset: Int64) {
        let end: Int64 = 60_000_000_000
        let reading = Instant(nanoseconds: end + offset)
        var limiter = RelaunchLimiter()
        limiter.relaunched(at: .zero)
        #expect(limiter.delay(at: reading) == (offset < 0 ? .seconds(60) : .zero))
        var other = limiter
        let relaunchDelay = limiter.taskStartedInBackground(at: reading)
        #expect((relaunchDelay != nil) == (offset < 0))
        other.relaunched(at: reading)
        #expect(other.delay(at: reading) == .seconds(offset < 0 ? 120 : 60))
    }

    @Test(
        "A task is delayed a nanosecond before its release and free at its release", arguments: [-1, 0, 1] as [Int64])
    func boundaryOfRelease(offset: Int64) throws {
        var limiter = RelaunchLimiter()
        limiter.relaunched(at: .zero)
        let relaunchDelay = try limiter.delayedTask(at: seconds(1))
        #expect(limiter.isDelayed(relaunchDelay, at: Instant(nanoseconds: 60_000_000_000 + offset)) == (offset < 0))
    }

    @Test("If a delayed task ends near the period's end, the delay ends with the later of the two")
    func endAroundPeriod() throws {
        for offset in [-1, 0, 1] as [Int64] {
            var limiter = RelaunchLimiter()
            limiter.relaunched(at: .zero)
            let relaunchDelay = limiter.taskStartedInBackground(at: seconds(1))
            let reading = Instant(nanoseconds: 60_000_000_000 + offset)
            limiter.end(relaunchDelay, causesRelaunch: false, at: reading)
            #expect(limiter.delay(at: reading) == (offset < 0 ? .seconds(60) : .zero))
            #expect(limiter.delay(at: seconds(60)) == .zero)
        }
    }

    @Test("The delay stays until the last delayed task ends")
    func staysUntilLastDelayedTask() {
        var limiter = RelaunchLimiter()
        limiter.relaunched(at: .zero)
        let first = limiter.taskStartedInBackground(at: seconds(1))
        let second = limiter.taskStartedInBackground(at: seconds(2))
        #expect(limiter.delay(at: seconds(5000)) == .seconds(60))
        let free = limiter.taskStartedInBackground(at: seconds(5000))
        #expect(free == nil, "the period has ended: not delayed")
        limiter.end(first, causesRelaunch: false, at: seconds(5000))
        #expect(limiter.delay(at: seconds(5001)) == .seconds(60))
        limiter.end(second, causesRelaunch: false, at: seconds(5002))
        #expect(limiter.delay(at: seconds(5002)) == .zero)
    }

    @Test("The launch that the last delayed task causes counts before the delay ends")
    func relaunchByLastDelayedTask() {
        var endFirst = RelaunchLimiter()
        endFirst.relaunched(at: .zero)
        var startFirst = endFirst
        let relaunchDelay = endFirst.taskStartedInBackground(at: seconds(1))
        let same = startFirst.taskStartedInBackground(at: seconds(1))
        #expect(same == relaunchDelay)

        endFirst.end(relaunchDelay, causesRelaunch: true, at: seconds(70))
        #expect(endFirst.delay(at: seconds(500)) == .seconds(60), "the app is stopped: its start comes late")
        endFirst.relaunched(at: seconds(500))
        #expect(endFirst.delay(at: seconds(500)) == .seconds(120))

        startFirst.relaunched(at: seconds(500))
        startFirst.end(relaunchDelay, causesRelaunch: false, at: seconds(500))
        #expect(startFirst == endFirst)
        #expect(startFirst.delay(at: seconds(620)) == .zero)
    }

    @Test("An abandoned launch lets the delay end")
    func relaunchAbandoned() {
        var limiter = RelaunchLimiter()
        limiter.relaunched(at: .zero)
        let relaunchDelay = limiter.taskStartedInBackground(at: seconds(1))
        limiter.end(relaunchDelay, causesRelaunch: true, at: seconds(70))
        #expect(limiter.nextChange(after: seconds(70)) == nil)
        #expect(limiter.explanation(at: seconds(71)).cause == .relaunch)
        limiter.relaunchAbandoned(at: seconds(80))
        #expect(limiter.delay(at: seconds(80)) == .zero)
    }

    @Test("Bringing the app to the front releases all tasks immediately")
    func foregrounded() throws {
        var limiter = RelaunchLimiter()
        limiter.relaunched(at: .zero)
        limiter.relaunched(at: seconds(1))
        let relaunchDelay = try limiter.delayedTask(at: seconds(2))
        limiter.foregrounded(at: seconds(3))
        #expect(limiter.delay(at: seconds(3)) == .zero)
        #expect(!limiter.isDelayed(relaunchDelay, at: seconds(3)))
        #expect(limiter.release(of: relaunchDelay) == nil)

        limiter.relaunched(at: seconds(4))
        #expect(limiter.delay(at: seconds(4)) == .seconds(60), "the delay restarts")
        #expect(!limiter.isDelayed(relaunchDelay, at: seconds(5)), "an old hold does not become one of the new start")
        limiter.end(relaunchDelay, causesRelaunch: true, at: seconds(6))
        #expect(limiter.delay(at: seconds(64)) == .zero)
    }

    @Test("Ten thousand launches: the delay doubles up to 6 h without overflow")
    func capAndOverflow() {
        var limiter = RelaunchLimiter()
        var expected: Int64 = 60
        for index in 0..<10_000 as Range<Int64> {
            limiter.relaunched(at: seconds(index))
            #expect(limiter.delay(at: seconds(index)) == .seconds(expected))
            expected = min(expected * 2, 21_600)
        }
        #expect(limiter.explanation(at: seconds(9_999)).relaunches == 10_000)
    }

    @Test("Any settings give a delay between zero and the maximum")
    func configurations() {
        for (first, longest) in [(0, 10), (-5, 10), (5, -1), (60, 30)] as [(Int64, Int64)] {
            var configuration = RelaunchLimiterConfiguration()
            configuration.first = .seconds(first)
            configuration.longest = .seconds(longest)
            for relaunches in [-1, 0, 1, 2, 63, 64, 65, .max] {
                let delay = configuration.delay(afterRelaunches: relaunches)
                #expect(delay >= .zero && delay <= max(.seconds(longest), .zero))
            }
        }
        var configuration = RelaunchLimiterConfiguration()
        configuration.longest = .nanoseconds(Int64.max)
        #expect(configuration.delay(afterRelaunches: .max) == .nanoseconds(Int64.max))
    }

    @Test("Instants at the ends of the clock are handled")
    func extremeInstants() throws {
        var limiter = RelaunchLimiter()
        limiter.relaunched(at: .distantFuture)
        #expect(limiter.delay(at: .distantFuture) == .zero, "its period ends with the clock itself")
        limiter.relaunched(at: Instant(nanoseconds: .min))
        let relaunchDelay = try limiter.delayedTask(at: Instant(nanoseconds: .min))
        #expect(limiter.isDelayed(relaunchDelay, at: Instant(nanoseconds: .min)))
        limiter = RelaunchLimiter()
        limiter.relaunched(at: seconds(100))
        limiter.relaunched(at: seconds(50))
        #expect(limiter.explanation(at: seconds(100)).lastRelaunch == seconds(100), "a clock going back moves nothing")
    }

    @Test("Canceling, restarting, and other session names lead to the same release")
    func cheating() throws {
        // The limiter receives neither a session nor a transfer, so a new name for either has no effect.
        var limiter = RelaunchLimiter()
        limiter.relaunched(at: .zero)
        for second in 1..<60 as Range<Int64> {
            let relaunchDelay = try limiter.delayedTask(at: seconds(second))
            #expect(limiter.release(of: relaunchDelay) == seconds(60))
            limiter.end(relaunchDelay, causesRelaunch: false, at: seconds(second))
            #expect(limiter.delay(at: seconds(second)) == .seconds(60))
        }
        // If one of two delayed tasks is canceled, the limiter still remembers the other.
        let kept = try limiter.delayedTask(at: seconds(59))
        let cancelled = try limiter.delayedTask(at: seconds(59))
        limiter.end(cancelled, causesRelaunch: false, at: seconds(61))
        limiter.end(kept, causesRelaunch: true, at: seconds(65))
        limiter.relaunched(at: seconds(65))
        #expect(limiter.delay(at: seconds(65)) == .seconds(120))
    }

    @Test("A hundred tasks submitted together cost one launch")
    func hundredAtOnce() {
        var limiter = RelaunchLimiter()
        limiter.relaunched(at: .zero)
        let relaunchDelays = (0..<100).map { _ in limiter.taskStartedInBackground(at: seconds(1)) }
        for (index, relaunchDelay) in relaunchDelays.enumerated() {
            #expect(relaunchDelay.flatMap(limiter.release) == seconds(60), "all begin together")
            limiter.end(relaunchDelay, causesRelaunch: index == 99, at: seconds(61 + Int64(index)))
        }
        limiter.relaunched(at: seconds(161))
        #expect(limiter.explanation(at: seconds(161)).relaunches == 2)
    }

    @Test("A hundred tasks submitted one by one cost a hundred launches")
    func hundredInTurn() throws {
        var limiter = RelaunchLimiter()
        var now: Int64 = 0
        var delays: [Int64] = []
        for _ in 0..<100 {
            limiter.relaunched(at: seconds(now))
            let relaunchDelay = try limiter.delayedTask(at: seconds(now + 1))
            let release = try #require(limiter.release(of: relaunchDelay)).nanoseconds / 1_000_000_000
            delays.append(release - now)
            now = release + 5
            limiter.end(relaunchDelay, causesRelaunch: true, at: seconds(now))
        }
        #expect(delays.prefix(11) == [60, 120, 240, 480, 960, 1920, 3840, 7680, 15_360, 21_600, 21_600])
        #expect(now > 3600 * 24 * 22)
    }

    @Test("The explanation contains the delay, its cause, its end, and the waiting tasks")
    func explanation() {
        var limiter = RelaunchLimiter()
        #expect(limiter.explanation(at: .zero).cause == .none)
        limiter.relaunched(at: .zero)
        let relaunchDelay = limiter.taskStartedInBackground(at: seconds(1))
        _ = limiter.taskStartedInBackground(at: seconds(2))
        limiter.relaunched(at: seconds(30))
        _ = limiter.taskStartedInBackground(at: seconds(31))
        var explanation = limiter.explanation(at: seconds(40))
        #expect(explanation.delay == .seconds(120) && explanation.relaunches == 2)
        #expect(explanation.until == seconds(150) && explanation.lastRelaunch == seconds(30))
        #expect(explanation.cause == .period && explanation.begun == 0)
        #expect(explanation.waiting.map(\.release) == [seconds(60), seconds(150)])
        #expect(explanation.waiting.map(\.count) == [2, 1])
        explanation = limiter.explanation(at: seconds(150))
        #expect(explanation.cause == .delayedTask && explanation.until == nil)
        #expect(explanation.begun == 3 && explanation.waiting.isEmpty)
        limiter.end(relaunchDelay, causesRelaunch: false, at: seconds(151))
        #expect(limiter.explanation(at: seconds(151)).begun == 2)
    }

    @Test("The next change is the next release or, without delayed tasks, the end of the period")
    func nextChange() {
        var limiter = RelaunchLimiter()
        limiter.relaunched(at: .zero)
        #expect(limiter.nextChange(after: .zero) == seconds(60))
        #expect(limiter.nextRelease(after: .zero) == nil, "nothing waits: no need to wake")
        _ = limiter.taskStartedInBackground(at: seconds(1))
        #expect(limiter.nextRelease(after: seconds(1)) == seconds(60))
        #expect(limiter.nextChange(after: seconds(60)) == nil, "only the task's end can change anything")
    }
}

func clock(_ hour: Int64, _ minute: Int64, _ second: Int64) -> Instant { seconds(hour * 3600 + minute * 60 + second) }
func seconds(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

extension RelaunchLimiter {
    /// Starts a task that must be delayed. (`#require` does not accept a mutating call.)
    mutating func delayedTask(at now: Instant, sourceLocation: SourceLocation = #_sourceLocation) throws
        -> RelaunchDelay
    {
        let relaunchDelay = taskStartedInBackground(at: now)
        return try #require(relaunchDelay, sourceLocation: sourceLocation)
    }

    /// Ends a task if it was delayed.
    mutating func end(_ relaunchDelay: RelaunchDelay?, causesRelaunch: Bool, at now: Instant) {
        guard let relaunchDelay else { return }
        delayedTaskEnded(relaunchDelay, causesRelaunch: causesRelaunch, at: now)
    }
}
