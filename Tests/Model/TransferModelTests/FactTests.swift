// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite struct FactTests {
    @Test("The same value keeps its start; another value starts as an observed change")
    func updated() {
        let fact = Fact(PowerSource.ac, source: .upower, since: Sample.now)
        let later = Sample.now.advanced(by: .seconds(5))
        let same = fact.updated(to: .ac, source: .sysfs, confidence: .guessed, at: later)
        #expect(same == Fact(.ac, source: .sysfs, since: Sample.now, confidence: .guessed))
        let other = same.updated(to: .battery, source: .sysfs, confidence: .reported, at: later)
        #expect(other == Fact(.battery, source: .sysfs, since: later, isObservedChange: true))
        let again = other.updated(
            to: .battery, source: .upower, confidence: .reported, at: later.advanced(by: .seconds(1)))
        #expect(again.isObservedChange && again.since == later)
    }

    @Test("A source of another program keeps its name; sources of this project keep their identifiers")
    func source() {
        let own = FactSource(named: "battery gauge")
        #expect(own.displayName == "battery gauge" && own != .custom && own == FactSource(rawValue: "battery gauge"))
        #expect(FactSource.upower.displayName == "UPower" && FactSource.upower.rawValue == "upower")
        #expect(FactSource.user.rawValue == "person" && FactSource.sysfs.displayName == "sysfs")
    }

    @Test("A battery level is clamped to 0…100")
    func level() {
        #expect(BatteryState(level: 101).level == 100)
        #expect(BatteryState(level: -1).level == 0)
    }
}
