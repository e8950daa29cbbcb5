// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TransferScheduling

@Suite("RateSample")
struct RateSampleTests {
    @Test("The first sample is the rate; each later sample weighs a quarter")
    func smoothing() throws {
        let sample = try #require(RateSample(of: 500, in: .milliseconds(250)))
        #expect(sample.smoothing(nil) == 2000)
        #expect(sample.smoothing(1000) == 1250)
        #expect(sample.smoothing(2000) == 2000)
    }

    @Test("No new byte, fewer bytes, or no time between two reports is no sample")
    func none() {
        #expect(RateSample(of: 0, in: .seconds(1)) == nil)
        #expect(RateSample(of: -1, in: .seconds(1)) == nil)
        #expect(RateSample(of: 1, in: .zero) == nil)
        #expect(RateSample(of: 1, in: .seconds(-1)) == nil)
    }

    @Test("No size overflows the rate")
    func largest() throws {
        let sample = try #require(RateSample(of: .max, in: .nanoseconds(1)))
        #expect(sample.smoothing(nil) == 1_000_000_000_000_000)
        #expect(sample.smoothing(.max) == 1_000_000_000_000_000)
    }
}
