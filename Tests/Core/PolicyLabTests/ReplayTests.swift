// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@testable import PolicyLab

@Suite struct ReplayTests {
    @Test("Bytes move at the network's rate and count in the current cost class")
    func classes() throws {
        let outcome = try Days.replay(Days.trace("AbCd"), [Days.job(0, bytes: 350, by: 1000)])
        #expect(outcome.onTimeBytes == [100, 100, 100, 50])
        #expect(outcome.jobs[0].delay == 350)
        #expect(outcome.activations == 1)
    }

    @Test("No byte moves while power or network is unknown, without a network, or during sleep")
    func unknown() throws {
        let outcome = try Days.replay(Days.trace("A?-zA"), [Days.job(0, bytes: 150, by: 1000)])
        #expect(outcome.onTimeBytes == [150, 0, 0, 0])
        #expect(outcome.jobs[0].delay == 450)
        #expect(outcome.activations == 2)
        #expect(outcome.jobs[0].longestWait == .seconds(300))
        #expect(outcome.unknownTime == 100)
        #expect(outcome.span == 500)
    }

    @Test("Bytes after the deadline count as late; bytes that never arrive count as undone")
    func late() throws {
        let outcome = try Days.replay(
            Days.trace("-AA"), [Days.job(0, bytes: 130, by: 150), Days.job(1, bytes: 100, by: 400)])
        #expect(outcome.onTimeBytes[0] == 50 + 70)
        #expect(outcome.lateBytes == 80)
        #expect(outcome.undoneBytes == 30)
        #expect(outcome.jobs.map(\.isMissed) == [true, true])
        #expect(outcome.jobs[0].delay == 230)
        #expect(outcome.jobs[1].delay == nil)
    }

    @Test("The earliest deadline takes the slot; a stopped job keeps its bytes; IDs break ties")
    func order() throws {
        let outcome = try Days.replay(
            Days.trace("AAAA"),
            [
                Days.job(7, at: 0, bytes: 100, by: 900), Days.job(3, at: 20, bytes: 50, by: 300),
                Days.job(2, at: 40, bytes: 10, by: 300),
            ])
        // Job 7 runs from 0, job 3 from 20, job 2 from 40 to 50, job 3 until 80, and job 7 until 160.
        #expect(outcome.jobs.map(\.id) == [7, 3, 2])
        #expect(outcome.jobs.map(\.delay) == [160, 60, 10])
        #expect(outcome.stops == 2)
        #expect(outcome.jobs.map(\.starts) == [2, 2, 1])
        #expect(outcome.activations == 1)
    }

    @Test("A start wakes the radio only after a pause longer than the gap")
    func activations() throws {
        let jobs = [
            Days.job(0, at: 0, bytes: 10, by: 900), Days.job(1, at: 25, bytes: 10, by: 900),
            Days.job(2, at: 51, bytes: 10, by: 900),
        ]
        let outcome = try Days.replay(Days.trace("Ab"), jobs)
        #expect(outcome.activations == 2)
        #expect(outcome.activeTime.ac == 30)
        // 15 s after the first transfer, then 15 s of 16 s, then 15 s.
        #expect(outcome.tailTime.ac == 45)
        #expect(outcome.wakes.ac == 2)
        // 30 s at 1 byte/s, two tails and a gap of 238 ms each, and two starts.
        #expect(abs(outcome.activeEnergy.ac - 30 * (0.13286 + 0.13701 * 8e-6)) < 1e-9)
        #expect(abs(outcome.tailEnergy.ac - 3 * 0.1193 * 0.2381) < 1e-9)
        #expect(abs(outcome.wakeEnergy.ac - 2 * 0.0791 * 0.1244) < 1e-9)
        #expect(outcome.activeEnergy.battery == 0)
    }

    @Test("A mobile radio stays awake for 11.6 s, on battery energy if the machine runs on battery")
    func mobileEnergy() throws {
        let outcome = try Days.replay(Days.trace("d"), [Days.job(0, bytes: 10, by: 900)], "immediate")
        #expect(abs(outcome.activeEnergy.battery - 10 * (1.28804 + 0.05197 * 8e-6)) < 1e-9)
        #expect(abs(outcome.tailEnergy.battery - 1.06 * 11.576) < 1e-9)
        #expect(abs(outcome.wakeEnergy.battery - 0.2601 * 1.2107) < 1e-9)
        #expect(outcome.tailEnergy.ac == 0)
    }

    @Test("The ladder's thresholds are exact: battery after half of the time, metered after three quarters")
    func ladder() throws {
        let outcome = try Days.replay(Days.trace("bbbddd"), [Days.job(0, bytes: 150, by: 400)], "ladder")
        // Battery from 200 to 300, metered from 300 on.
        #expect(outcome.onTimeBytes == [0, 100, 0, 50])
        #expect(outcome.jobs[0].delay == 350)
    }

    @Test("Concurrent transfers share the network")
    func concurrency() throws {
        var settings = Days.slow
        settings.scheduler.globalSlots = 2
        settings.wifiRate = 3
        let outcome = try Days.replay(
            Days.trace("AA"), [Days.job(0, bytes: 20, by: 900), Days.job(1, bytes: 40, by: 901)], "strict", settings)
        // 2 and 1 bytes per second until 10 s. Then the second job, which has 10 bytes, gets all 3 bytes per second.
        #expect(outcome.jobs.map(\.delay) == [10, 20])
    }

    @Test("An empty job finishes when it may start; a job that arrives after the trace does not finish")
    func extremes() throws {
        let outcome = try Days.replay(
            Days.trace("-A"), [Days.job(0, bytes: 0, by: 900), Days.job(1, at: 5000, bytes: 3, by: 6000)])
        #expect(outcome.jobs[0].delay == 100)
        #expect(outcome.jobs[1].finished == nil)
        #expect(outcome.undoneBytes == 3)
        #expect(outcome.activations == 0)
    }

    @Test("The longest trace and the largest job that files can describe are replayed")
    func largest() throws {
        let start = WallTime(nanosecondsSinceEpoch: -4_000_000_000_000_000_000)
        let end = WallTime(nanosecondsSinceEpoch: 4_000_000_000_000_000_000)
        let segment = Trace.Segment(start: start, end: end, power: .ac, network: .wifi, rate: 1_000_000_000_000)
        let trace = try #require(Trace(device: "long", segments: [segment]))
        let job = Job(id: .max, arrival: start, bytes: 1 << 60, deadline: end)
        let outcome = try Days.replay(trace, [job], "immediate", ReplaySettings())
        #expect(outcome.undoneBytes == 0)
        #expect(Optimum(trace, jobs: [job], settings: ReplaySettings()).cost == 0)
    }

    @Test("The division of time into segments does not affect the outcome", arguments: UInt64(1)...20)
    func pieces(seed: UInt64) throws {
        var generator = LabGenerator(seed: seed)
        let (trace, jobs) = (generator.trace(), generator.jobs())
        let whole = try Days.replay(trace, jobs, "ladder", generator.settings)
        let halves = try #require(Trace(device: trace.device, segments: trace.segments.flatMap { generator.cut($0) }))
        let cut = try Days.replay(halves, jobs, "ladder", generator.settings)
        #expect(cut.onTimeBytes == whole.onTimeBytes && cut.jobs == whole.jobs, "seed \(seed)")
    }

    @Test("The same seed gives the same outcome")
    func determinism() throws {
        var generator = LabGenerator(seed: 3)
        let (trace, jobs) = (generator.trace(), generator.jobs())
        var settings = ReplaySettings()
        settings.scheduler = ReplaySettings.daemonScheduler
        let first = try Days.replay(trace, jobs, "default", settings)
        #expect(try Days.replay(trace, jobs, "default", settings) == first)
    }
}
