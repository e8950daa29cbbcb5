// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxConditions

@Suite("Decoding of UPower's properties")
struct UPowerReadingTests {
    @Test("Without a daemon version, nothing counts, because a dead daemon reads like a machine on AC")
    func dead() {
        #expect(UPowerProperties(daemonVersion: nil, isOnBattery: false).decoded == nil)
        #expect(UPowerProperties(daemonVersion: "").decoded == nil)
    }

    @Test("A machine without a battery has no battery state")
    func noBattery() {
        #expect(
            UPowerProperties(daemonVersion: "1", isPresent: false, kind: 2).decoded
                == UPowerReading(isOnBattery: false, battery: nil))
        #expect(UPowerProperties(daemonVersion: "1", isPresent: true, kind: 1).decoded?.battery == nil)
    }

    @Test(
        "Each state is decoded",
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
        "Each warning is decoded",
        arguments: zip(
            [0, 1, 2, 3, 4, 5, 99] as [UInt32],
            [.unknown, .none, .none, .low, .critical, .action, .unknown] as [BatteryWarning]))
    func warnings(raw: UInt32, warning: BatteryWarning) {
        let reading = UPowerProperties(daemonVersion: "1", isPresent: true, kind: 3, warningLevel: raw).decoded
        #expect(reading?.battery?.warning == warning)
    }

    @Test(
        "Percentages are limited to the valid range",
        arguments: zip([-3.0, 12.6, 250, .infinity, .nan], [0, 13, 100, nil, nil] as [Int?]))
    func percentages(raw: Double, level: Int?) {
        let reading = UPowerProperties(daemonVersion: "1", isPresent: true, kind: 2, percentage: raw).decoded
        #expect(reading?.battery?.level == level)
    }

    @Test("A discharging UPS means battery, regardless of UPower's own value")
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
