// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxConditions

@Suite("Power profiles and sleep, decoded")
struct SessionReadingTests {
    @Test(
        "Each profile has its meaning, odd and missing ones none; that one is degraded does not matter",
        arguments: zip(
            [
                .string("power-saver"), .string("balanced"), .string("performance"), .string("turbo"), .integer(1), nil,
            ] as [VariantValue?],
            [.powerSaver, .balanced, .performance, .unknown, .unknown, .unknown] as [PowerProfile]))
    func profile(raw: VariantValue?, profile: PowerProfile) {
        var properties: [String: VariantValue] = ["PerformanceDegraded": .string("lap-detected")]
        properties["ActiveProfile"] = raw
        #expect(PowerProfileReading.profile(in: properties) == profile)
    }

    private func finding(
        _ current: Answer<PowerProfile>, _ former: Answer<PowerProfile>, _ portal: Answer<Bool> = .absent
    ) -> Fact<PowerProfile> {
        let finding = PowerProfileReading(current: current, former: former, portal: portal).finding
        let moment = Moment(instant: .zero, wall: WallTime(secondsSinceEpoch: 0))
        return Fact(finding.value, source: finding.source, since: moment, sureness: finding.sureness)
    }

    private func fact(_ value: PowerProfile, _ source: FactSource, _ sureness: Sureness) -> Fact<PowerProfile> {
        let moment = Moment(instant: .zero, wall: WallTime(secondsSinceEpoch: 0))
        return Fact(value, source: source, since: moment, sureness: sureness)
    }

    @Test("The name of today counts before the former one, and both before the portal")
    func order() {
        #expect(finding(.value(.balanced), .value(.performance)) == fact(.balanced, .powerProfiles, .reported))
        #expect(finding(.value(.unknown), .value(.performance)) == fact(.performance, .powerProfiles, .reported))
        #expect(finding(.silent, .value(.powerSaver), .value(false)) == fact(.powerSaver, .powerProfiles, .reported))
        #expect(finding(.absent, .absent, .value(true)) == fact(.powerSaver, .portal, .reported))
        #expect(finding(.absent, .absent, .value(false)) == fact(.balanced, .portal, .guessed))
        #expect(finding(.absent, .silent) == fact(.unknown, .none, .assumed))
    }

    @Test("The portal's word is a truth value or none")
    func portal() {
        #expect(PowerProfileReading.savesPower(in: ["power-saver-enabled": .bool(true)]) == true)
        #expect(PowerProfileReading.savesPower(in: ["power-saver-enabled": .string("true")]) == nil)
        #expect(PowerProfileReading.savesPower(in: ["version": .integer(1)]) == nil)
    }

    @Test("The machine's end counts before sleep; without a login manager it is taken for awake")
    func sleep() {
        func state(_ properties: [String: VariantValue]) -> SleepState { SleepReading(properties: properties).state }
        #expect(state([:]) == .awake)
        #expect(state(["PreparingForSleep": .bool(true)]) == .aboutToSleep)
        #expect(state(["PreparingForSleep": .bool(true), "PreparingForShutdown": .bool(true)]) == .aboutToShutDown)
        #expect(state(["PreparingForSleep": .string("true")]) == .awake)
        var readings = Readings()
        #expect(readings.sleepFinding.value == .awake)
        #expect(readings.sleepFinding.source == .none)
        readings.sleep = .value(SleepReading(properties: ["PreparingForSleep": .bool(true)]))
        #expect(readings.sleepFinding.value == .aboutToSleep)
        #expect(readings.sleepFinding.source == .logind)
    }
}
