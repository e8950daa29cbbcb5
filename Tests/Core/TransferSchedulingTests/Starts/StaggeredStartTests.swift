// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// §4: After sleep or an outage, transfers start staggered by random delays.
@Suite struct StaggeredStartTests {
    private static var configuration: SchedulerConfiguration {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 20
        configuration.slotsPerApp = 20
        return configuration
    }

    /// Returns the times of the first staggered starts of a seed, counted from `seconds`.
    private static func staggered(seed: UInt64, from seconds: Int64, count: Int) -> [String] {
        var generator = SplitMix64(seed: seed)
        var sum = seconds * 1_000_000_000
        return (0..<count).map { _ in
            sum += Int64.random(in: 0...5_000_000_000, using: &generator)
            return Timeline.text(.nanoseconds(sum))
        }
    }

    @discardableResult
    private static func run(_ text: String, seed: UInt64 = 1, jitter: Duration = .seconds(5)) -> Machine {
        Timeline.run(text, configuration: configuration, staggeredStartJitter: jitter, seed: seed)
    }

    @Test("Initial conditions do not count as the end of an outage")
    func start() {
        Self.run(
            """
            t=0s submit 1 normal
            t=0s submit 2 normal
            expect order 1,2
            """)
    }

    @Test(
        "After an outage, background work starts one by one with random delays",
        arguments: [1, 2, 3] as [UInt64])
    func oneByOne(seed: UInt64) {
        let staggered = Self.staggered(seed: seed, from: 20, count: 4)
        Self.run(
            """
            given network=none
            t=0s submit 1 normal
            t=0s submit 2 normal
            t=0s submit 3 normal
            t=20s network full
            expect 1 because settling:network:\(staggered[0])
            expect 3 because settling:network:\(staggered[0])
            expect 1 released wait:\(staggered[0].prefix { $0 != "." }.trimmingSuffix("s"))s
            expect 1 looked \(staggered[0])
            expect wake \(staggered[0])
            expect 1 starts at \(staggered[0])
            expect 2 because settling:network:\(staggered[1])
            expect 2 starts at \(staggered[1])
            expect wake \(staggered[2])
            expect 3 starts at \(staggered[2])
            expect wake none
            """, seed: seed)
    }

    @Test("After sleep, background work starts one by one too")
    func sleep() {
        let staggered = Self.staggered(seed: 1, from: 100, count: 2)
        Self.run(
            """
            t=10s sleep about-to-sleep
            t=100s sleep awake
            t=100s submit 1 normal
            t=100s submit 2 normal
            expect 1 starts at \(staggered[0])
            expect 2 starts at \(staggered[1])
            """)
    }

    @Test("User-initiated and loopback work starts immediately and delays no other transfer")
    func atOnce() {
        let staggered = Self.staggered(seed: 1, from: 20, count: 2)
        Self.run(
            """
            t=10s network none
            t=10s submit 1 normal
            t=10s submit 2 userInitiated
            t=10s submit 3 discretionary loopback
            t=10s submit 4 normal
            expect 3 starts at 10s
            t=20s network full
            t=20s submit 5 normal loopback
            expect order 3,2,5
            expect 1 waits settling
            expect 1 starts at \(staggered[0])
            expect 4 starts at \(staggered[1])
            """)
    }

    @Test("Discretionary work also waits for the network debounce")
    func discretionary() {
        let staggered = Self.staggered(seed: 1, from: 20, count: 1)
        var generator = SplitMix64(seed: 1)
        _ = Int64.random(in: 0...5_000_000_000, using: &generator)
        let second = Timeline.text(
            .seconds(25) + .nanoseconds(Int64.random(in: 0...5_000_000_000, using: &generator)))
        Self.run(
            """
            t=10s network none
            t=10s submit 1 discretionary
            t=10s submit 2 discretionary
            t=20s network full
            expect 1 because settling:network:25s
            t=\(staggered[0]) woken
            expect quiet
            expect 1 starts at 25s
            expect 2 starts at \(second)
            """)
    }

    @Test("With another reason, the staggered start is not reported")
    func otherReasons() {
        Self.run(
            """
            given network=none link=cellular
            t=0s submit 1 normal links=wifi
            t=20s network full
            expect 1 waits networkKind
            """)
    }

    @Test("After the period, all transfers start immediately again")
    func period() {
        Self.run(
            """
            t=10s network none
            t=20s network full
            t=79s submit 1 normal
            t=79s submit 2 normal
            expect 1 runs
            expect 2 waits settling
            t=90s submit 3 normal
            t=90s submit 4 normal
            t=90s submit 5 normal
            expect 2 runs
            expect 3 runs
            expect 4 runs
            expect 5 runs
            """)
    }

    @Test("A second outage cancels the delay, and its end draws another")
    func again() {
        var generator = SplitMix64(seed: 1)
        _ = Int64.random(in: 0...5_000_000_000, using: &generator)
        let staggeredDelay = Timeline.text(
            .seconds(30) + .nanoseconds(Int64.random(in: 0...5_000_000_000, using: &generator)))
        Self.run(
            """
            t=10s network none
            t=10s submit 1 normal
            t=20s network full
            t=20.000001s network portal
            expect 1 waits captivePortal
            expect wake none
            t=25s network none
            t=30s network limited
            expect 1 because settling:network:\(staggeredDelay)
            expect 1 starts at \(staggeredDelay)
            """)
    }

    @Test("Other changes of conditions do not move the staggered start")
    func otherChanges() {
        let staggered = Self.staggered(seed: 1, from: 20, count: 1)
        Self.run(
            """
            given network=none
            t=0s submit 1 normal
            t=20s network full
            t=20.001s link wifi
            t=20.002s network limited
            t=20.003s power battery
            expect 1 because settling:network:\(staggered[0])
            expect 1 starts at \(staggered[0])
            """)
    }

    @Test("A passed or unneeded delay causes no wake-up")
    func noIdleWake() {
        Self.run(
            """
            t=10s network none
            t=20s network full
            expect wake none
            t=20s submit 1 userInitiated
            expect wake none
            t=30s submit 2 normal
            expect 2 runs
            expect wake none
            """)
    }

    @Test("Without jitter, all transfers start at the end of the outage")
    func noJitter() {
        Self.run(
            """
            t=10s network none
            t=10s submit 1 normal
            t=10s submit 2 normal
            t=20s network full
            expect 1 starts at 20s
            expect 2 starts at 20s
            """, jitter: .zero)
    }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(_ suffix: Character) -> String {
        String(reversed().drop { $0 == suffix }.reversed())
    }
}
