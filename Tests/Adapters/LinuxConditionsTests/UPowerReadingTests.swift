// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxConditions

@Suite("What UPower's properties mean")
struct UPowerReadingTests {
    @Test("Without a daemon's version nothing else counts: a dead daemon reads like one on AC")
    func dead() {
        #expect(UPowerProperties(daemonVersion: nil, isOnBattery: false).decoded == nil)
        #expect(UPowerProperties(daemonVersion: "").decoded == nil)
    }

    @Test("A machine without a battery has none")
    func noBattery() {
        #expect(
            UPowerProperties(daemonVersion: "1", isPresent: false, kind: 2).decoded
                == UPowerReading(isOnBattery: false, battery: nil))
        #expect(UPowerProperties(daemonVersion: "1", isPresent: true, kind: 1).decoded?.battery == nil)
    }

    @Test(
        "Each state has its meaning",
        arguments: zip(
            [0, 1, 2, 3, 4, 5, 6, 99] as [UInt32],
            [
                .unknown, .charging, .discharging, .discharging, .full, .notCharging, .discharging, .unknown,
            ] as [ChargingState]))
    func states(raw: UInt32, charging: ChargingState) {
        let reading = UPowerProperties(daemonVersion: "1", isPresent: true, kind: 2, state: raw).decoded
        #expect(reading?.battery?.charging == charging)
    }

    @Test(
        "Each warning has its meaning",
        arguments: zip(
            [0, 1, 2, 3, 4, 5, 99] as [UInt32],
            [.unknown, .none, .none, .low, .critical, .action, .unknown] as [BatteryWarning]))
    func warnings(raw: UInt32, warning: BatteryWarning) {
        let reading = UPowerProperties(daemonVersion: "1", isPresent: true, kind: 3, warningLevel: raw).decoded
        #expect(reading?.battery?.warning == warning)
    }

    @Test(
        "Odd percentages do not get through",
        arguments: zip([-3.0, 12.6, 250, .infinity, .nan], [0, 13, 100, nil, nil] as [Int?]))
    func percentages(raw: Double, level: Int?) {
        let reading = UPowerProperties(daemonVersion: "1", isPresent: true, kind: 2, percentage: raw).decoded
        #expect(reading?.battery?.level == level)
    }

    @Test("On a UPS that drains the machine is on battery, though UPower's own word is about the batteries behind it")
    func ups() {
        func isOnBattery(kind: UInt32, state: UInt32, isPresent: Bool = true) -> Bool? {
            UPowerProperties(daemonVersion: "1", isPresent: isPresent, kind: kind, state: state).decoded?.isOnBattery
        }
        #expect(isOnBattery(kind: 3, state: 2) == true)
        #expect(isOnBattery(kind: 3, state: 1) == false)
        #expect(isOnBattery(kind: 3, state: 2, isPresent: false) == false)
        #expect(isOnBattery(kind: 2, state: 2) == false)
    }
}
