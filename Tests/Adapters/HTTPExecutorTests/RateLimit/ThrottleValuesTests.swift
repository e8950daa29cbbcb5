// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel

@testable import HTTPExecutor

struct ThrottleValuesTests {
    // MARK: The debt of a limit

    @Test("The remainder of a rate is not lost, however often the debt is updated")
    func remainder() {
        var rateDebt = RateDebt()
        rateDebt.update(now: 0, bytesPerSecond: 3)
        rateDebt.record(1_000_000)
        for step in 1...1_000_000 { rateDebt.update(now: UInt64(step) * 1_000_003, bytesPerSecond: 3) }
        // The duration is 1000.003 s at 3 bytes per second.
        #expect(rateDebt.debt == 1_000_000 - 3000)
    }

    @Test("Credit is small, and a debt delays as long as needed")
    func credit() {
        var rateDebt = RateDebt()
        rateDebt.update(now: 0, bytesPerSecond: 1000)
        rateDebt.update(now: 3_600_000_000_000, bytesPerSecond: 1000)
        #expect(rateDebt.debt == -50)
        rateDebt.record(1050)
        #expect(rateDebt.wait(bytesPerSecond: 1000) == 1_000_000_000)
        #expect(rateDebt.wait(bytesPerSecond: 2000) == 500_000_000)
        rateDebt.record(.max)
        #expect(rateDebt.wait(bytesPerSecond: 1) == .max)
    }

    // MARK: The interfaces' counters

    private static let recorded = """
        Inter-|   Receive                                                |  Transmit
         face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
            lo: 1000     10    0    0    0     0          0         0  1000     10    0    0    0     0       0          0
          eth0: 12345678   100    0    0    0     0          0         0  87654321     99    0    0    0     0       0          0
        eth0:1: 5 0 0 0 0 0 0 0 6 0 0 0 0 0 0 0
        tun0:7 0 0 0 0 0 0 0 8 0 0 0 0 0 0 0
        broken: 7 8
        """

    @Test("The kernel's table is parsed, including aliases and invalid lines")
    func counters() {
        let counters = InterfaceCounters(decoding: Self.recorded)
        #expect(counters.received == ["lo": 1000, "eth0": 12_345_678, "eth0:1": 5, "tun0": 7])
        #expect(counters.sent == ["lo": 1000, "eth0": 87_654_321, "eth0:1": 6, "tun0": 8])
        #expect(counters.leadingOut { $0 == "eth0" } == ["eth0"])
        #expect(counters.leadingOut { _ in false } == ["eth0", "eth0:1", "tun0"])
    }

    @Test("A new or restarted interface counts from then on")
    func since() {
        let earlier = InterfaceCounters(decoding: Self.recorded)
        var now = earlier
        now.received["eth0"] = 12_345_700
        now.sent["eth0"] = 5
        now.received["wlan0"] = 999
        #expect(now.since(earlier, on: ["eth0", "wlan0"]) == (22, 0))
        #expect(now.since(earlier, on: ["lo"]) == (0, 0))
    }

    // MARK: Yielding

    private static let quarter: UInt64 = 250_000_000

    /// Takes one reading per quarter of a second. `others` and `own` are rates in kilobytes per second.
    private static func run(_ yield: inout ForegroundYield, others: Int64, own: Int64, times: Int) -> [Int64?] {
        (0..<times).map { _ in
            yield.record(all: (others + own) * 250, own: own * 250, elapsed: quarter)
            return yield.limit
        }
    }

    @Test("Other programs reduce the limit to the floor within a second, for as long as they continue")
    func stepsBack() {
        var yield = ForegroundYield()
        #expect(Self.run(&yield, others: 0, own: 6000, times: 4).allSatisfy { $0 == nil })
        #expect(Self.run(&yield, others: 3000, own: 6000, times: 1) == [750_000])
        #expect(Self.run(&yield, others: 5000, own: 750, times: 1) == [93_750])
        #expect(Self.run(&yield, others: 6000, own: 93, times: 2) == [16_384, 16_384])
        #expect(Self.run(&yield, others: 6000, own: 16, times: 100).allSatisfy { $0 == 16_384 })
    }

    @Test("After a quiet second, the limit doubles until it has no effect; new traffic resets it")
    func comesBack() {
        var yield = ForegroundYield()
        _ = Self.run(&yield, others: 0, own: 6000, times: 1)
        _ = Self.run(&yield, others: 6000, own: 16, times: 8)
        #expect(Self.run(&yield, others: 0, own: 16, times: 3).allSatisfy { $0 == 16_384 })
        #expect(Self.run(&yield, others: 0, own: 32, times: 3) == [32_768, 65_536, 131_072])
        #expect(Self.run(&yield, others: 900, own: 131, times: 1) == [16_384])
        let limits = Self.run(&yield, others: 0, own: 16, times: 14)
        #expect(limits[11] == 8_388_608)
        #expect(limits[12] == nil)
    }

    @Test("A trickle and our own packet headers do not count as other programs")
    func trickle() {
        var yield = ForegroundYield()
        #expect(Self.run(&yield, others: 30, own: 6000, times: 20).allSatisfy { $0 == nil })
        #expect(Self.run(&yield, others: 400, own: 6000, times: 20).allSatisfy { $0 == nil })
        #expect(Self.run(&yield, others: 30, own: 0, times: 20).allSatisfy { $0 == nil })
        #expect(Self.run(&yield, others: 100, own: 0, times: 1) == [16_384])
    }

    @Test("Limits of any size are accepted")
    func extremes() {
        var yield = ForegroundYield()
        yield.record(all: .max, own: .max, elapsed: 1)
        yield.record(all: .max, own: 0, elapsed: 1)
        yield.record(all: -5, own: 0, elapsed: 0)
        #expect(yield.limit != nil)
    }
}
