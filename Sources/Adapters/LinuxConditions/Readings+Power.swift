// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension Readings {
    /// Whether a source currently reports a battery.
    var showBattery: Bool {
        if let reading = upower.value, reading.battery != nil || reading.isOnBattery { return true }
        return supplies.value?.contains { $0.isBattery } ?? false
    }

    /// Returns the power source, and the disagreements between the sources.
    func power(
        hasSeenBattery: Bool
    ) -> (source: ConditionsMerger.Finding<PowerSource>, disagreements: [String]) {
        let kernel = supplies.value.flatMap { PowerSupplySummary(of: $0).source }
        guard let reading = upower.value else {
            return (powerWithoutUPower(kernel: kernel, hasSeenBattery: hasSeenBattery), [])
        }
        let said: PowerSource = reading.isOnBattery ? .battery : .ac
        guard doesPowerDisagreementCount, let kernel, Self.disagree(upower, supplies) else {
            return (.init(value: said, source: .upower, sureness: .reported), [])
        }
        let sentence =
            "UPower says \(Self.words(said)), sysfs says \(Self.words(kernel)); taken as \(Self.words(.battery))"
        return (
            .init(value: .battery, source: said == .battery ? .upower : .sysfs, sureness: .guessed), [sentence]
        )
    }

    /// Returns whether UPower and the kernel report different power sources. A source without a value does not
    /// disagree.
    static func disagree(_ upower: Answer<UPowerReading>, _ supplies: Answer<[PowerSupply]>) -> Bool {
        guard let reading = upower.value, let kernel = supplies.value.flatMap({ PowerSupplySummary(of: $0).source })
        else { return false }
        return kernel != .unknown && kernel != (reading.isOnBattery ? .battery : .ac)
    }

    private func powerWithoutUPower(
        kernel: PowerSource?, hasSeenBattery: Bool
    ) -> ConditionsMerger.Finding<PowerSource> {
        // A daemon that is present but hangs may know better than the kernel's list.
        let sureness: Sureness = upower == .absent ? .reported : .guessed
        if let kernel, kernel != .unknown { return .init(value: kernel, source: .sysfs, sureness: sureness) }
        let nobody = ConditionsMerger.Finding<PowerSource>(value: .unknown, source: .none, sureness: .assumed)
        guard kernel == nil, !hasSeenBattery else { return nobody }
        switch supplies {
        case .value: return .init(value: .ac, source: .sysfs, sureness: .guessed)
        case .absent: return .init(value: .ac, source: .rule, sureness: .guessed)
        case .pending, .silent: return nobody
        }
    }

    /// The combined state of all batteries.
    var battery: ConditionsMerger.Finding<BatteryState> {
        if let reading = upower.value, let battery = reading.battery {
            return .init(value: battery, source: .upower, sureness: .reported)
        }
        if let battery = supplies.value.flatMap({ PowerSupplySummary(of: $0).battery }) {
            return .init(value: battery, source: .sysfs, sureness: .reported)
        }
        let source: FactSource = upower.value != nil ? .upower : supplies.value != nil ? .sysfs : .none
        return .init(value: BatteryState(), source: source, sureness: source == .none ? .assumed : .reported)
    }

    private static func words(_ source: PowerSource) -> String {
        switch source {
        case .ac: "AC"
        case .battery: "battery"
        case .unknown: "unknown"
        }
    }
}
