// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite struct BackoffTests {
    @Test(
        "Doubles from the first to the longest delay, times 1.0…1.5",
        arguments: [
            (1, 30), (2, 60), (3, 120), (10, 15_360), (11, 18_000), (64, 18_000), (Int.max, 18_000), (0, 30),
            (Int.min, 30),
        ])
    func doubling(attempt: Int, seconds: Int) {
        var generator = SplitMix64(seed: 7)
        var delays: Set<Duration> = []
        for _ in 0..<2000 {
            let delay = Backoff.background.delay(attempt: attempt, retryAfter: nil, using: &generator)
            #expect(.seconds(seconds) <= delay && delay <= .seconds(seconds) + .seconds(seconds) / 2)
            delays.insert(delay)
        }
        #expect(delays.count > 400)
        #expect(delays.min() == .seconds(seconds))
        #expect(delays.max() == .seconds(seconds) + .seconds(seconds) / 2)
    }

    @Test("The same seed gives the same delays")
    func seeds() {
        func delays(_ seed: UInt64) -> [Duration] {
            var generator = SplitMix64(seed: seed)
            return (1...20).map { Backoff.userInitiated.delay(attempt: $0, retryAfter: nil, using: &generator) }
        }
        #expect(delays(1) == delays(1))
        #expect(delays(1) != delays(2))
    }

    @Test(
        "Retry-After counts if it is longer, within its limits",
        arguments: [(0, 1), (2, 2), (86_400, 86_400), (1_000_000, 86_400), (-5, 1), (Int64.max, 86_400)]
            as [(Int64, Int64)])
    func retryAfter(asked: Int64, least: Int64) {
        var generator = SplitMix64(seed: 1)
        let delay = Backoff.userInitiated.delay(attempt: 1, retryAfter: .seconds(asked), using: &generator)
        #expect(delay >= .seconds(least) && delay <= max(.seconds(least), .seconds(1.5)))
        #expect(Backoff.userInitiated.longestDelay == .seconds(86_400))
    }

    @Test("Nothing overflows")
    func overflow() {
        let huge = Backoff(
            first: .seconds(Int64.max), longest: .seconds(Int64.max), shortestRetryAfter: .zero,
            longestRetryAfter: .zero)
        var generator = SplitMix64(seed: 1)
        #expect(huge.delay(attempt: 99, retryAfter: nil, using: &generator) == .nanoseconds(Int64.max))
    }

    @Test("SplitMix64 gives the published numbers")
    func splitMix() {
        var generator = SplitMix64(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in generator.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }
}
