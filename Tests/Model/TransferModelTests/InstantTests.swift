// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite struct InstantTests {
    @Test("Arithmetic saturates instead of trapping")
    func saturation() {
        let far = Duration.seconds(Int64.max)
        #expect(Instant(nanoseconds: 5).advanced(by: far) == .distantFuture)
        #expect(Instant(nanoseconds: -5).advanced(by: .zero - far) == Instant(nanoseconds: .min))
        #expect(Instant(nanoseconds: .min).duration(to: .distantFuture) == .nanoseconds(Int64.max))
        #expect(Instant(nanoseconds: .max).duration(to: Instant(nanoseconds: .min)) == .nanoseconds(Int64.min))
        #expect(Instant.zero.advanced(by: .nanoseconds(7)) == Instant(nanoseconds: 7))
        #expect(far.wholeNanoseconds == .max)
        #expect((Duration.zero - far).wholeNanoseconds == .min)
        #expect(Duration(secondsComponent: 1, attosecondsComponent: 999_999_999).wholeNanoseconds == 1_000_000_000)
    }

    @Test("Dates saturate, and whole seconds are rounded down")
    func wallTime() {
        #expect(WallTime(secondsSinceEpoch: .max).nanosecondsSinceEpoch == .max)
        #expect(WallTime(secondsSinceEpoch: .min).nanosecondsSinceEpoch == .min)
        #expect(WallTime(nanosecondsSinceEpoch: -1).secondsSinceEpoch == -1)
        #expect(WallTime(nanosecondsSinceEpoch: -1_000_000_000).secondsSinceEpoch == -1)
        #expect(WallTime(nanosecondsSinceEpoch: 1_999_999_999).secondsSinceEpoch == 1)
        #expect(Sample.monday.advanced(by: .seconds(Int64.max)).nanosecondsSinceEpoch == .max)
        #expect(WallTime(nanosecondsSinceEpoch: .min) < Sample.monday)
    }

    @Test("A clock reading advances both clocks")
    func clockReading() {
        let later = Sample.now.advanced(by: .seconds(9))
        #expect(Sample.now.instant(of: later.wall) == later.instant)
        #expect(Sample.now.wall(at: later.instant) == later.wall)
        #expect(Sample.now.instant(of: WallTime(nanosecondsSinceEpoch: .max)) > Sample.now.instant)
    }
}
