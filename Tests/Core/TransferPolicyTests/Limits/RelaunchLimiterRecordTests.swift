// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferPolicy

@Suite("RelaunchLimiter across restarts")
struct RelaunchLimiterRecordTests {
    /// Returns a limiter at 12 s after boot "a". A delay of 60 s since 10 s holds one task until 70 s.
    private func delayedLimiter() throws -> (RelaunchLimiter, RelaunchLimiter.RelaunchDelay) {
        var limiter = RelaunchLimiter()
        limiter.relaunched(at: seconds(10))
        let relaunchDelay = try limiter.delayedTask(at: seconds(12))
        return (limiter, relaunchDelay)
    }

    @Test("Within one boot, a restart changes nothing, regardless of the wall clock", arguments: [0, 1, 2])
    func sameBoot(jump: Int) throws {
        let (limiter, relaunchDelay) = try delayedLimiter()
        let record = try encodedAndBack(limiter.record(at: reading(12, wall: 1_000_000), boot: "a"))
        let wall: Int64 = [1_000_020, -9_000_000_000, 9_000_000_000][jump]
        let back = RelaunchLimiter(record, at: reading(32, wall: wall), boot: "a")
        #expect(back == limiter)
        #expect(back.release(of: relaunchDelay) == seconds(70))
    }

    @Test("After a restart past the period, the task is released and the delay remains")
    func sameBootLater() throws {
        let (limiter, relaunchDelay) = try delayedLimiter()
        let record = try encodedAndBack(limiter.record(at: reading(12, wall: 0), boot: "a"))
        let back = RelaunchLimiter(record, at: reading(500, wall: 488), boot: "a")
        #expect(!back.isDelayed(relaunchDelay, at: seconds(500)))
        #expect(back.delay(at: seconds(500)) == .seconds(60))
    }

    @Test("After a reboot, the time that the machine was off counts by the wall clock")
    func reboot() throws {
        let (limiter, relaunchDelay) = try delayedLimiter()
        let record = try encodedAndBack(limiter.record(at: reading(12, wall: 1_000_000), boot: "a"))
        // 2 s of 60 s had passed. The machine was off for 30 s, of which 5 s are since the new boot.
        let back = RelaunchLimiter(record, at: reading(5, wall: 1_000_030), boot: "b")
        #expect(back.release(of: relaunchDelay) == seconds(5 + 28))
        #expect(back.delay(at: seconds(5)) == .seconds(60))
        #expect(back.isDelayed(relaunchDelay, at: Instant(nanoseconds: 32_999_999_999)))
        #expect(!back.isDelayed(relaunchDelay, at: seconds(33)))
    }

    @Test("If the wall clock went back, a task waits at most its delay from the boot")
    func rebootWithClockBack() throws {
        let (limiter, relaunchDelay) = try delayedLimiter()
        let record = limiter.record(at: reading(12, wall: 1_000_000), boot: "a")
        let back = RelaunchLimiter(record, at: reading(5, wall: 0), boot: "b")
        #expect(back.release(of: relaunchDelay) == seconds(58), "the 5 s since the new boot are certain")
    }

    @Test("A clock change before the last record does not release a task after a reboot")
    func jumpBeforeReboot() throws {
        let (limiter, relaunchDelay) = try delayedLimiter()
        // The clock is set a year ahead at 15 s. The record made then knows that only 5 s of the delay had passed.
        let record = limiter.record(at: reading(15, wall: 31_536_000), boot: "a")
        let back = RelaunchLimiter(record, at: reading(4, wall: 31_536_010), boot: "b")
        #expect(back.release(of: relaunchDelay) == seconds(4 + 45))
        // If the clock is set back afterwards, only the time since boot counts.
        let later = RelaunchLimiter(record, at: reading(4, wall: 10), boot: "b")
        #expect(later.release(of: relaunchDelay) == seconds(55))
    }

    @Test("Time asleep counts, because the boot-time clock includes it")
    func asleep() throws {
        let (limiter, relaunchDelay) = try delayedLimiter()
        #expect(limiter.isDelayed(relaunchDelay, at: seconds(69)))
        #expect(!limiter.isDelayed(relaunchDelay, at: seconds(7200)))
    }

    @Test("An expected launch survives a restart")
    func expectedRelaunch() throws {
        var (limiter, relaunchDelay) = try delayedLimiter()
        limiter.delayedTaskEnded(relaunchDelay, causesRelaunch: true, at: seconds(75))
        let record = try encodedAndBack(limiter.record(at: reading(75, wall: 0), boot: "a"))
        var back = RelaunchLimiter(record, at: reading(3, wall: 100_000), boot: "b")
        #expect(back.delay(at: seconds(3)) == .seconds(60))
        back.relaunched(at: seconds(4))
        #expect(back.delay(at: seconds(4)) == .seconds(120))
    }

    @Test("Launch numbers survive a restart, so an old delay never matches a new launch")
    func numbers() throws {
        var (limiter, old) = try delayedLimiter()
        limiter.foregrounded(at: seconds(13))
        let record = try encodedAndBack(limiter.record(at: reading(13, wall: 0), boot: "a"))
        var back = RelaunchLimiter(record, at: reading(1, wall: 1), boot: "b")
        #expect(back.delay(at: seconds(1)) == .zero)
        back.relaunched(at: seconds(2))
        let new = try back.delayedTask(at: seconds(3))
        #expect(new != old)
        #expect(!back.isDelayed(old, at: seconds(3)))
        let relaunchDelay = try encodedAndBack(new)
        #expect(back.isDelayed(relaunchDelay, at: seconds(3)))
    }

    @Test("A damaged record never causes a delay above the configured maximum")
    func damaged() throws {
        let far = Int64.max
        for (relaunches, since, until, unfinished) in [
            (-5, far, far, 1), (.max, -far, far, .max), (3, Int64.min, Int64.min, -7), (1, 0, far, 1),
        ] as [(Int, Int64, Int64, Int)] {
            let json = """
                {"boot":"x","bootNanoseconds":\(Int64.min),"wall":{"nanosecondsSinceEpoch":\(Int64.min)},
                "relaunches":\(relaunches),"lastNumber":\(far),"sinceRelaunch":\(since),"expectsRelaunch":false,
                "cohorts":[{"relaunch":1,"untilRelease":\(until),"unfinished":\(unfinished)}]}
                """
            let record = try JSONDecoder().decode(RelaunchLimiter.Record.self, from: Data(json.utf8))
            for boot in ["x", "y"] {
                for now in [
                    reading(0, wall: 0), ClockReading(instant: .distantFuture, wall: WallTime(secondsSinceEpoch: 0)),
                ] {
                    var back = RelaunchLimiter(record, at: now, boot: boot)
                    #expect(back.delay(at: now.instant) <= .seconds(21_600))
                    let limit = now.instant.advanced(by: .seconds(21_600))
                    #expect(!back.isDelayed(RelaunchLimiter.RelaunchDelay(relaunch: 1), at: limit))
                    back.delayedTaskEnded(
                        RelaunchLimiter.RelaunchDelay(relaunch: 1), causesRelaunch: false, at: now.instant)
                    back.relaunched(at: now.instant)
                    _ = back.record(at: now, boot: boot)
                }
            }
        }
    }

    @Test(
        "Random runs with restarts, reboots and clock jumps agree with a model that counts seconds", arguments: 1...40)
    func randomRuns(seed: UInt64) throws {
        var run = LimiterRun(seed: seed)
        for second in 0..<4000 as Range<Int64> {
            if let problem = try run.tick(second) {
                Issue.record(
                    "seed \(seed), second \(second): \(problem)\n\(run.log.suffix(30).joined(separator: "\n"))")
                return
            }
        }
        #expect(run.longestDelay > 40, "the run must reach growing delays, seed \(seed)")
    }
}

private func reading(_ instant: Int64, wall: Int64) -> ClockReading {
    ClockReading(instant: seconds(instant), wall: WallTime(secondsSinceEpoch: wall))
}

private func encodedAndBack<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
}

/// A plain model of the rules: a second hand and a list of tasks. Its time is a single number that is never set.
private struct SecondsModel {
    struct Task {
        var release: Int64
        var isFree = false
    }

    var delay: Int64 = 0
    var lastStart: Int64 = 0
    var expectsStart = false
    var tasks: [Int: Task] = [:]

    mutating func tick(_ now: Int64) {
        let delayedUnfinished = tasks.values.contains { !$0.isFree }
        if now >= lastStart + delay, !delayedUnfinished, !expectsStart { delay = 0 }
    }

    mutating func start(_ now: Int64) {
        delay = delay == 0 ? 10 : delay * 2
        if delay > 300 { delay = 300 }
        lastStart = now
        expectsStart = false
    }

    mutating func give(_ id: Int, _ now: Int64) {
        if delay > 0, now < lastStart + delay { tasks[id] = Task(release: lastStart + delay) }
    }

    mutating func end(_ id: Int, causesStart: Bool) {
        guard let task = tasks.removeValue(forKey: id), !task.isFree else { return }
        if causesStart { expectsStart = true }
    }

    mutating func toFront() {
        delay = 0
        expectsStart = false
        for id in tasks.keys { tasks[id]?.isFree = true }
    }
}

/// Drives the limiter and the model with the same events. The limiter sees clocks that restart and are set.
private struct LimiterRun {
    var generator: SplitMix64
    var model = SecondsModel()
    var limiter: RelaunchLimiter
    var relaunchDelays: [Int: RelaunchLimiter.RelaunchDelay] = [:]
    var log: [String] = []
    var longestDelay: Int64 = 0
    private var configuration = RelaunchLimiterConfiguration()
    private var bootedAt: Int64 = 0
    private var boot = 0
    private var wallOffset: Int64 = 1_700_000_000
    private var offUntil: Int64 = 0
    private var record: RelaunchLimiter.Record?
    private var nextID = 0

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
        configuration.first = .seconds(10)
        configuration.longest = .seconds(300)
        limiter = RelaunchLimiter(configuration: configuration)
    }

    /// Advances both by one second. Returns a description of the difference, if any.
    mutating func tick(_ second: Int64) throws -> String? {
        model.tick(second)
        guard second >= offUntil else { return nil }
        if let record {
            limiter = RelaunchLimiter(
                try encodedAndBack(record), at: now(second), boot: "\(boot)", configuration: configuration)
            self.record = nil
        }
        event(second)
        model.tick(second)
        longestDelay = max(longestDelay, model.delay)
        return difference(second)
    }

    private func now(_ second: Int64) -> ClockReading { reading(second - bootedAt, wall: second + wallOffset) }

    private mutating func event(_ second: Int64) {
        let at = now(second).instant
        switch Int.random(in: 0..<200, using: &generator) {
        case 0..<6:
            log.append("\(second) start")
            model.start(second)
            limiter.relaunched(at: at)
        case 6..<14:
            log.append("\(second) give \(nextID)")
            model.give(nextID, second)
            relaunchDelays[nextID] = limiter.taskStartedInBackground(at: at)
            nextID += 1
        case 14..<28:
            guard let id = relaunchDelays.keys.sorted().randomElement(using: &generator) else { return }
            let causesStart = generator.next() % 2 == 0
            log.append("\(second) end \(id) causes start: \(causesStart)")
            model.end(id, causesStart: causesStart)
            limiter.end(relaunchDelays.removeValue(forKey: id), causesRelaunch: causesStart, at: at)
            if causesStart, generator.next() % 4 != 0 {
                model.start(second)
                limiter.relaunched(at: at)
            }
        case 28:
            if generator.next() % 3 == 0 {
                log.append("\(second) front")
                model.toFront()
                limiter.foregrounded(at: at)
            }
        case 29:
            log.append("\(second) abandoned")
            model.expectsStart = false
            limiter.relaunchAbandoned(at: at)
        case 30..<32:
            wallOffset += Int64.random(in: -1_000_000...1_000_000, using: &generator)
            log.append("\(second) clock set")
        case 32..<36: restart(second)
        default: break
        }
    }

    /// Restarts the daemon immediately, after a while, or in another boot.
    private mutating func restart(_ second: Int64) {
        record = limiter.record(at: now(second), boot: "\(boot)")
        offUntil = second + Int64.random(in: 1...60, using: &generator)
        guard generator.next() % 2 == 0 else { return log.append("\(second) restart until \(offUntil)") }
        boot += 1
        bootedAt = offUntil - Int64.random(in: 0..<(offUntil - second), using: &generator)
        log.append("\(second) reboot until \(offUntil)")
    }

    private func difference(_ second: Int64) -> String? {
        guard record == nil else { return nil }
        let at = now(second).instant
        guard limiter.delay(at: at) == .seconds(model.delay) else {
            return "delay \(limiter.delay(at: at)), not \(model.delay) s"
        }
        for (id, relaunchDelay) in relaunchDelays {
            let task = model.tasks[id]
            let expected = task.map { !$0.isFree && second < $0.release } ?? false
            guard limiter.isDelayed(relaunchDelay, at: at) == expected else { return "task \(id) held: \(!expected)" }
        }
        let releases = model.tasks.values.filter { !$0.isFree && $0.release > second }.map(\.release)
        guard limiter.nextRelease(after: at) == releases.min().map({ seconds($0 - bootedAt) }) else {
            return "next release"
        }
        return nil
    }
}
