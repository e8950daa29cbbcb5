// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite struct FactTests {
    @Test("The same value from another source keeps its time; another value begins anew, as an observed change")
    func updated() {
        let fact = Fact(PowerSource.ac, source: .upower, since: Sample.now)
        let later = Sample.now.advanced(by: .seconds(5))
        let same = fact.updated(to: .ac, source: .sysfs, sureness: .guessed, at: later)
        #expect(same == Fact(.ac, source: .sysfs, since: Sample.now, sureness: .guessed))
        let other = same.updated(to: .battery, source: .sysfs, sureness: .reported, at: later)
        #expect(other == Fact(.battery, source: .sysfs, since: later, isObservedChange: true))
        let again = other.updated(
            to: .battery, source: .upower, sureness: .reported, at: later.advanced(by: .seconds(1)))
        #expect(again.isObservedChange && again.since == later)
    }

    @Test("A battery's level stays within 0…100")
    func level() {
        #expect(BatteryState(level: 101).level == 100)
        #expect(BatteryState(level: -1).level == 0)
    }
}
