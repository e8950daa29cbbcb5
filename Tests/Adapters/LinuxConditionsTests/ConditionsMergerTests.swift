// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxConditions

@Suite("Merging readings into conditions")
struct ConditionsMergerTests {
    private let laptop = [
        PowerSupply(name: "AC", type: "Mains", online: "1"), PowerSupply(name: "BAT0", type: "Battery", status: "Full"),
    ]
    private let unplugged = [
        PowerSupply(name: "AC", type: "Mains", online: "0"),
        PowerSupply(name: "BAT0", type: "Battery", status: "Discharging"),
    ]

    private func time(_ seconds: Int64) -> ClockReading {
        ClockReading(
            instant: Instant(nanoseconds: seconds * 1_000_000_000), wall: WallTime(secondsSinceEpoch: 1000 + seconds))
    }

    /// Readings in which every source has replied or is absent.
    private func readings(
        upower: Availability<UPowerReading> = .absent, supplies: Availability<[PowerSupply]> = .value([]),
        path: Availability<NetworkPath?> = .value(nil), manager: Availability<NetworkManagerReading> = .absent,
        metered: Metered? = nil, disagreementCounts: Bool = true, modems: Availability<[ModemReading]> = .absent,
        portal: Availability<PortalReading> = .absent
    ) -> Readings {
        Readings(
            upower: upower, supplies: supplies, doesPowerDisagreementCount: disagreementCounts,
            powerProfile: PowerProfileReading(current: .absent, former: .absent), sleep: .absent, path: path,
            networkManager: manager, metered: metered, modems: modems, portal: portal)
    }

    private func upower(onBattery: Bool, hasBattery: Bool = true) -> Availability<UPowerReading> {
        .value(UPowerReading(isOnBattery: onBattery, battery: hasBattery ? BatteryState(level: 50) : nil))
    }

    private func power(_ readings: Readings...) -> Fact<PowerSource>? {
        var merger = ConditionsMerger(localTime: .utc)
        for reading in readings { _ = merger.merge(reading, at: time(0)) }
        return merger.snapshot?.power
    }

    private func fact(_ value: PowerSource, _ source: FactSource, _ confidence: Confidence) -> Fact<PowerSource> {
        Fact(value, source: source, since: time(0), confidence: confidence)
    }

    @Test("UPower's value counts if the kernel agrees or lists nothing")
    func upowerFirst() {
        #expect(power(readings(upower: upower(onBattery: false))) == fact(.ac, .upower, .reported))
        #expect(power(readings(upower: upower(onBattery: true))) == fact(.battery, .upower, .reported))
        #expect(
            power(readings(upower: upower(onBattery: false), supplies: .value(laptop))) == fact(.ac, .upower, .reported)
        )
    }

    @Test("If they disagree, the more costly value counts as a guess, and a lasting disagreement is reported")
    func disagreement() {
        var merger = ConditionsMerger(localTime: .utc)
        let early = readings(
            upower: upower(onBattery: false), supplies: .value(unplugged), disagreementCounts: false)
        #expect(merger.merge(early, at: time(0))?.power == fact(.ac, .upower, .reported))
        let late = readings(upower: upower(onBattery: false), supplies: .value(unplugged))
        let next = merger.merge(late, at: time(1))
        #expect(next?.power.value == .battery)
        #expect(next?.power.source == .sysfs)
        #expect(next?.power.confidence == .guessed)
        #expect(next?.disagreements == ["UPower says AC, sysfs says battery; taken as battery"])
        #expect(
            power(readings(upower: upower(onBattery: true), supplies: .value(laptop)))
                == fact(.battery, .upower, .guessed))
    }

    @Test(
        "While UPower recovers from a hang, the kernel's value counts"
    )
    func recovering() {
        func files(_ online: String, _ status: String) -> Availability<[PowerSupplyFiles]> {
            .value([
                PowerSupplyFiles(name: "AC") {
                    $0 == "type" ? .text("Mains") : $0 == "online" ? .text(online) : .failed(ENOENT)
                },
                PowerSupplyFiles(name: "BAT0") {
                    $0 == "type" ? .text("Battery") : $0 == "status" ? .text(status) : .failed(ENOENT)
                },
            ])
        }
        func reported(onBattery: Bool) -> Availability<UPowerProperties> {
            .value(UPowerProperties(daemonVersion: "1", isOnBattery: onBattery))
        }
        let (plugged, unplugged) = (files("1", "Full"), files("0", "Discharging"))
        var fold = ConditionsFold(localTime: .utc)
        func power(_ upower: Availability<UPowerProperties>, _ supplies: Availability<[PowerSupplyFiles]>) -> String {
            _ = fold.process(.power(upower: upower, supplies: supplies, .first), at: time(0))
            return fold.snapshot.map { "\($0.power.value) \($0.power.source) \($0.power.confidence)" } ?? "none"
        }
        _ = fold.process(.firstSnapshotIsDue, at: time(0))
        #expect(power(reported(onBattery: false), plugged) == "ac upower reported")
        // A short disagreement does not count.
        #expect(power(reported(onBattery: false), unplugged) == "ac upower reported")
        #expect(power(.silent, unplugged) == "battery sysfs guessed")
        #expect(power(reported(onBattery: false), unplugged) == "battery sysfs guessed")
        #expect(fold.snapshot?.disagreements.count == 1)
        #expect(power(reported(onBattery: true), unplugged) == "battery upower reported")
        #expect(power(reported(onBattery: true), plugged) == "battery upower reported")
    }

    @Test("Without UPower, the kernel's value counts, with lower confidence while UPower hangs")
    func fallback() {
        #expect(power(readings(supplies: .value(unplugged))) == fact(.battery, .sysfs, .reported))
        #expect(power(readings(upower: .silent, supplies: .value(laptop))) == fact(.ac, .sysfs, .guessed))
    }

    @Test("A machine on which no source has ever reported a battery counts as on AC, as a guess")
    func desktop() {
        #expect(power(readings()) == fact(.ac, .sysfs, .guessed))
        #expect(power(readings(supplies: .absent)) == fact(.ac, .rule, .guessed))
        #expect(power(readings(upower: .silent, supplies: .pending)) == fact(.unknown, .none, .assumed))
        let desktop = readings(upower: upower(onBattery: false, hasBattery: false))
        #expect(power(desktop, readings())?.value == .ac)
    }

    @Test("A battery that was reported once is remembered after its source disappears")
    func death() {
        #expect(power(readings(upower: upower(onBattery: false)), readings())?.value == .unknown)
        #expect(power(readings(upower: upower(onBattery: true, hasBattery: false)), readings())?.value == .unknown)
        #expect(power(readings(supplies: .value(laptop)), readings())?.value == .unknown)
        var merger = ConditionsMerger(localTime: .utc)
        merger.record(readings(upower: upower(onBattery: false)))
        #expect(merger.merge(readings(), at: time(0))?.power.value == .unknown)
    }

    @Test("Values of the first snapshot are not changes; later values are observed changes")
    func since() {
        var merger = ConditionsMerger(localTime: .utc)
        let first = merger.merge(readings(supplies: .value(laptop)), at: time(5))
        #expect(first?.power == Fact(.ac, source: .sysfs, since: time(5)))
        #expect(merger.merge(readings(supplies: .value(laptop)), at: time(6)) == nil)
        let second = merger.merge(readings(supplies: .value(unplugged)), at: time(7))
        #expect(second?.power == Fact(.battery, source: .sysfs, since: time(7), isObservedChange: true))
        #expect(second?.network == first?.network)
        let third = merger.merge(
            readings(upower: upower(onBattery: true), supplies: .value(unplugged)), at: time(8))
        #expect(third?.power == Fact(.battery, source: .upower, since: time(7), isObservedChange: true))
    }

    @Test("Reachability comes from the kernel, unless NetworkManager reports a limit")
    func reachability() {
        let path = Availability<NetworkPath?>.value(NetworkPath(interface: "eth0", kind: .ethernet))
        let portal = NetworkManagerReading(
            properties: ["PrimaryConnection": .string("/1"), "Connectivity": .integer(2)])
        let free = NetworkManagerReading(properties: ["PrimaryConnection": .string("/1"), "Connectivity": .integer(4)])
        #expect(readings(path: path).reachability.value == .full)
        #expect(readings(path: path).reachability.confidence == .guessed)
        #expect(readings(path: path, manager: .value(free)).reachability.value == .full)
        #expect(readings(path: path, manager: .value(portal)).reachability.value == .portal)
        #expect(readings(manager: .value(portal)).reachability.value == .none)
        #expect(readings(path: .absent, manager: .value(portal)).reachability.value == .portal)
        #expect(readings(path: .absent, manager: .value(free)).reachability.value == .full)
        #expect(readings(path: .absent).reachability.value == .unknown)
    }

    @Test("Power profile and sleep are facts, and a new time zone produces a new snapshot")
    func session() {
        var merger = ConditionsMerger(localTime: .utc)
        var readings = readings()
        let first = merger.merge(readings, at: time(0))
        #expect(first?.powerProfile == Fact(.unknown, source: .none, since: time(0), confidence: .assumed))
        #expect(first?.sleep == Fact(.awake, source: .none, since: time(0), confidence: .assumed))
        readings.powerProfile.current = .value(.powerSaver)
        readings.sleep = .value(SleepReading(properties: ["PreparingForSleep": .bool(true)]))
        let second = merger.merge(readings, at: time(1))
        #expect(
            second?.powerProfile
                == Fact(.powerSaver, source: .powerProfiles, since: time(1), isObservedChange: true))
        #expect(second?.sleep == Fact(.aboutToSleep, source: .logind, since: time(1), isObservedChange: true))
        #expect(merger.merge(readings, at: time(2)) == nil)
        merger.localTime = LocalTimeRules(initialOffsetSeconds: 3600)
        #expect(merger.merge(readings, at: time(3))?.localTime.initialOffsetSeconds == 3600)
    }

    @Test("Readings are complete when no source is pending")
    func complete() {
        #expect(readings().isComplete)
        #expect(!readings(upower: .pending).isComplete)
        #expect(!readings(supplies: .pending).isComplete)
        #expect(!readings(path: .pending).isComplete)
        #expect(!readings(manager: .pending).isComplete)
        var others = readings()
        others.sleep = .pending
        #expect(!others.isComplete)
        others = readings()
        others.powerProfile.former = .pending
        #expect(!others.isComplete)
        others = readings()
        others.powerProfile.portal = .pending
        #expect(!others.isComplete)
        others = readings()
        others.isPowerDisagreementOpen = true
        #expect(!others.isComplete)
        #expect(!readings(modems: .pending).isComplete)
        #expect(!readings(portal: .pending).isComplete)
        #expect(readings(manager: .silent).isComplete)
    }
}
