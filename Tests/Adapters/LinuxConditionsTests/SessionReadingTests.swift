// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxConditions

@Suite("Decoding of power profiles and sleep")
struct SessionReadingTests {
    @Test(
        "Known profiles are decoded, unknown profiles are ignored, and degradation does not matter",
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

    private func observed(
        _ current: Availability<PowerProfile>, _ former: Availability<PowerProfile>,
        _ portal: Availability<Bool> = .absent
    ) -> Fact<PowerProfile> {
        let observed = PowerProfileReading(current: current, former: former, portal: portal).observed
        let time = ClockReading(instant: .zero, wall: WallTime(secondsSinceEpoch: 0))
        return Fact(observed.value, source: observed.source, since: time, confidence: observed.confidence)
    }

    private func fact(_ value: PowerProfile, _ source: FactSource, _ confidence: Confidence) -> Fact<PowerProfile> {
        let time = ClockReading(instant: .zero, wall: WallTime(secondsSinceEpoch: 0))
        return Fact(value, source: source, since: time, confidence: confidence)
    }

    @Test("The current name takes precedence over the former name, and both over the portal")
    func order() {
        #expect(observed(.value(.balanced), .value(.performance)) == fact(.balanced, .powerProfiles, .reported))
        #expect(observed(.value(.unknown), .value(.performance)) == fact(.performance, .powerProfiles, .reported))
        #expect(observed(.silent, .value(.powerSaver), .value(false)) == fact(.powerSaver, .powerProfiles, .reported))
        #expect(observed(.absent, .absent, .value(true)) == fact(.powerSaver, .portal, .reported))
        #expect(observed(.absent, .absent, .value(false)) == fact(.balanced, .portal, .guessed))
        #expect(observed(.absent, .silent) == fact(.unknown, .none, .assumed))
    }

    @Test("The portal's value is a Boolean or missing")
    func portal() {
        #expect(PowerProfileReading.savesPower(in: ["power-saver-enabled": .bool(true)]) == true)
        #expect(PowerProfileReading.savesPower(in: ["power-saver-enabled": .string("true")]) == nil)
        #expect(PowerProfileReading.savesPower(in: ["version": .integer(1)]) == nil)
    }

    @Test("Shutdown takes precedence over sleep; without a login manager, the machine counts as awake")
    func sleep() {
        func state(_ properties: [String: VariantValue]) -> SleepState { SleepReading(properties: properties).state }
        #expect(state([:]) == .awake)
        #expect(state(["PreparingForSleep": .bool(true)]) == .aboutToSleep)
        #expect(state(["PreparingForSleep": .bool(true), "PreparingForShutdown": .bool(true)]) == .aboutToShutDown)
        #expect(state(["PreparingForSleep": .string("true")]) == .awake)
        var readings = Readings()
        #expect(readings.observedSleep.value == .awake)
        #expect(readings.observedSleep.source == .none)
        readings.sleep = .value(SleepReading(properties: ["PreparingForSleep": .bool(true)]))
        #expect(readings.observedSleep.value == .aboutToSleep)
        #expect(readings.observedSleep.source == .logind)
    }
}
