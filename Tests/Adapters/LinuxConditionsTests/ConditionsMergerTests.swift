// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxConditions

@Suite("Folding readings into conditions")
struct ConditionsMergerTests {
    private let laptop = [
        PowerSupply(name: "AC", type: "Mains", online: "1"), PowerSupply(name: "BAT0", type: "Battery", status: "Full"),
    ]
    private let unplugged = [
        PowerSupply(name: "AC", type: "Mains", online: "0"),
        PowerSupply(name: "BAT0", type: "Battery", status: "Discharging"),
    ]

    private func moment(_ seconds: Int64) -> Moment {
        Moment(
            instant: Instant(nanoseconds: seconds * 1_000_000_000), wall: WallTime(secondsSinceEpoch: 1000 + seconds))
    }

    /// Readings in which every source has answered or is absent.
    private func readings(
        upower: Answer<UPowerReading> = .absent, supplies: Answer<[PowerSupply]> = .value([]),
        path: Answer<NetworkPath?> = .value(nil), manager: Answer<NetworkManagerReading> = .absent,
        metered: Metered? = nil, disagreementCounts: Bool = true, modems: Answer<[ModemReading]> = .absent,
        portal: Answer<PortalReading> = .absent
    ) -> Readings {
        Readings(
            upower: upower, supplies: supplies, doesPowerDisagreementCount: disagreementCounts,
            powerProfile: PowerProfileReading(current: .absent, former: .absent), sleep: .absent, path: path,
            networkManager: manager, metered: metered, modems: modems, portal: portal)
    }

    private func upower(onBattery: Bool, hasBattery: Bool = true) -> Answer<UPowerReading> {
        .value(UPowerReading(isOnBattery: onBattery, battery: hasBattery ? BatteryState(level: 50) : nil))
    }

    private func power(_ readings: Readings...) -> Fact<PowerSource>? {
        var merger = ConditionsMerger(localTime: .utc)
        for reading in readings { _ = merger.merge(reading, at: moment(0)) }
        return merger.snapshot?.power
    }

    private func fact(_ value: PowerSource, _ source: FactSource, _ sureness: Sureness) -> Fact<PowerSource> {
        Fact(value, source: source, since: moment(0), sureness: sureness)
    }

    @Test("UPower's word counts where the kernel agrees or lists nothing")
    func upowerFirst() {
        #expect(power(readings(upower: upower(onBattery: false))) == fact(.ac, .upower, .reported))
        #expect(power(readings(upower: upower(onBattery: true))) == fact(.battery, .upower, .reported))
        #expect(
            power(readings(upower: upower(onBattery: false), supplies: .value(laptop))) == fact(.ac, .upower, .reported)
        )
    }

    @Test("Where they disagree the dearer counts as a guess, and the disagreement is told once it has lasted")
    func disagreement() {
        var merger = ConditionsMerger(localTime: .utc)
        let early = readings(
            upower: upower(onBattery: false), supplies: .value(unplugged), disagreementCounts: false)
        #expect(merger.merge(early, at: moment(0))?.power == fact(.ac, .upower, .reported))
        let late = readings(upower: upower(onBattery: false), supplies: .value(unplugged))
        let next = merger.merge(late, at: moment(1))
        #expect(next?.power.value == .battery)
        #expect(next?.power.source == .sysfs)
        #expect(next?.power.sureness == .guessed)
        #expect(next?.disagreements == ["UPower says AC, sysfs says battery; taken as battery"])
        #expect(
            power(readings(upower: upower(onBattery: true), supplies: .value(laptop)))
                == fact(.battery, .upower, .guessed))
    }

    @Test(
        "A UPower that comes round tells of before it hung, and the kernel's word of the plug counts until it has caught up"
    )
    func comingRound() {
        func files(_ online: String, _ status: String) -> Answer<[PowerSupplyFiles]> {
            .value([
                PowerSupplyFiles(name: "AC") {
                    $0 == "type" ? .text("Mains") : $0 == "online" ? .text(online) : .failed(ENOENT)
                },
                PowerSupplyFiles(name: "BAT0") {
                    $0 == "type" ? .text("Battery") : $0 == "status" ? .text(status) : .failed(ENOENT)
                },
            ])
        }
        func said(onBattery: Bool) -> Answer<UPowerProperties> {
            .value(UPowerProperties(daemonVersion: "1", isOnBattery: onBattery))
        }
        let (plugged, unplugged) = (files("1", "Full"), files("0", "Discharging"))
        var fold = ConditionsFold(localTime: .utc)
        func power(_ upower: Answer<UPowerProperties>, _ supplies: Answer<[PowerSupplyFiles]>) -> String {
            _ = fold.take(.power(upower: upower, supplies: supplies, .first), at: moment(0))
            return fold.snapshot.map { "\($0.power.value) \($0.power.source) \($0.power.sureness)" } ?? "none"
        }
        _ = fold.take(.firstIsDue, at: moment(0))
        #expect(power(said(onBattery: false), plugged) == "ac upower reported")
        // A short disagreement does not count.
        #expect(power(said(onBattery: false), unplugged) == "ac upower reported")
        #expect(power(.silent, unplugged) == "battery sysfs guessed")
        #expect(power(said(onBattery: false), unplugged) == "battery sysfs guessed")
        #expect(fold.snapshot?.disagreements.count == 1)
        #expect(power(said(onBattery: true), unplugged) == "battery upower reported")
        #expect(power(said(onBattery: true), plugged) == "battery upower reported")
    }

    @Test("Without UPower the kernel's word counts, less surely while a daemon hangs")
    func fallback() {
        #expect(power(readings(supplies: .value(unplugged))) == fact(.battery, .sysfs, .reported))
        #expect(power(readings(upower: .silent, supplies: .value(laptop))) == fact(.ac, .sysfs, .guessed))
    }

    @Test("A machine on which nobody ever saw a battery is on AC, as a guess")
    func desktop() {
        #expect(power(readings()) == fact(.ac, .sysfs, .guessed))
        #expect(power(readings(supplies: .absent)) == fact(.ac, .rule, .guessed))
        #expect(power(readings(upower: .silent, supplies: .pending)) == fact(.unknown, .none, .assumed))
        let desktop = readings(upower: upower(onBattery: false, hasBattery: false))
        #expect(power(desktop, readings())?.value == .ac)
    }

    @Test("A battery seen once is not forgotten with the service that saw it")
    func death() {
        #expect(power(readings(upower: upower(onBattery: false)), readings())?.value == .unknown)
        #expect(power(readings(upower: upower(onBattery: true, hasBattery: false)), readings())?.value == .unknown)
        #expect(power(readings(supplies: .value(laptop)), readings())?.value == .unknown)
        var merger = ConditionsMerger(localTime: .utc)
        merger.note(readings(upower: upower(onBattery: false)))
        #expect(merger.merge(readings(), at: moment(0))?.power.value == .unknown)
    }

    @Test("What the first snapshot tells is settled; what changes later was seen to change")
    func since() {
        var merger = ConditionsMerger(localTime: .utc)
        let first = merger.merge(readings(supplies: .value(laptop)), at: moment(5))
        #expect(first?.power == Fact(.ac, source: .sysfs, since: moment(5)))
        #expect(merger.merge(readings(supplies: .value(laptop)), at: moment(6)) == nil)
        let second = merger.merge(readings(supplies: .value(unplugged)), at: moment(7))
        #expect(second?.power == Fact(.battery, source: .sysfs, since: moment(7), isObservedChange: true))
        #expect(second?.network == first?.network)
        let third = merger.merge(
            readings(upower: upower(onBattery: true), supplies: .value(unplugged)), at: moment(8))
        #expect(third?.power == Fact(.battery, source: .upower, since: moment(7), isObservedChange: true))
    }

    @Test("Reachability is the kernel's, unless NetworkManager knows of a limit")
    func reachability() {
        let path = Answer<NetworkPath?>.value(NetworkPath(interface: "eth0", kind: .ethernet))
        let portal = NetworkManagerReading(
            properties: ["PrimaryConnection": .string("/1"), "Connectivity": .integer(2)])
        let free = NetworkManagerReading(properties: ["PrimaryConnection": .string("/1"), "Connectivity": .integer(4)])
        #expect(readings(path: path).reachability.value == .full)
        #expect(readings(path: path).reachability.sureness == .guessed)
        #expect(readings(path: path, manager: .value(free)).reachability.value == .full)
        #expect(readings(path: path, manager: .value(portal)).reachability.value == .portal)
        #expect(readings(manager: .value(portal)).reachability.value == .none)
        #expect(readings(path: .absent, manager: .value(portal)).reachability.value == .portal)
        #expect(readings(path: .absent, manager: .value(free)).reachability.value == .full)
        #expect(readings(path: .absent).reachability.value == .unknown)
    }

    @Test("Power profile and sleep are facts like the others, and another time zone makes another snapshot")
    func session() {
        var merger = ConditionsMerger(localTime: .utc)
        var readings = readings()
        let first = merger.merge(readings, at: moment(0))
        #expect(first?.powerProfile == Fact(.unknown, source: .none, since: moment(0), sureness: .assumed))
        #expect(first?.sleep == Fact(.awake, source: .none, since: moment(0), sureness: .assumed))
        readings.powerProfile.current = .value(.powerSaver)
        readings.sleep = .value(SleepReading(properties: ["PreparingForSleep": .bool(true)]))
        let second = merger.merge(readings, at: moment(1))
        #expect(
            second?.powerProfile
                == Fact(.powerSaver, source: .powerProfiles, since: moment(1), isObservedChange: true))
        #expect(second?.sleep == Fact(.aboutToSleep, source: .logind, since: moment(1), isObservedChange: true))
        #expect(merger.merge(readings, at: moment(2)) == nil)
        merger.localTime = LocalTimeRules(initialOffsetSeconds: 3600)
        #expect(merger.merge(readings, at: moment(3))?.localTime.initialOffsetSeconds == 3600)
    }

    @Test("Readings are complete when nobody is pending")
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
