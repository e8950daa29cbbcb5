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
    ) -> (source: ConditionsMerger.ObservedValue<PowerSource>, disagreements: [String]) {
        let kernel = supplies.value.flatMap { PowerSupplySummary(of: $0).source }
        guard let reading = upower.value else {
            return (powerWithoutUPower(kernel: kernel, hasSeenBattery: hasSeenBattery), [])
        }
        let reported: PowerSource = reading.isOnBattery ? .battery : .ac
        guard doesPowerDisagreementCount, let kernel, Self.disagree(upower, supplies) else {
            return (.init(value: reported, source: .upower, confidence: .reported), [])
        }
        let sentence =
            "UPower says \(Self.words(reported)), sysfs says \(Self.words(kernel)); taken as \(Self.words(.battery))"
        return (
            .init(value: .battery, source: reported == .battery ? .upower : .sysfs, confidence: .guessed), [sentence]
        )
    }

    /// Returns whether UPower and the kernel report different power sources. A source without a value does not
    /// disagree.
    static func disagree(_ upower: Availability<UPowerReading>, _ supplies: Availability<[PowerSupply]>) -> Bool {
        guard let reading = upower.value, let kernel = supplies.value.flatMap({ PowerSupplySummary(of: $0).source })
        else { return false }
        return kernel != .unknown && kernel != (reading.isOnBattery ? .battery : .ac)
    }

    private func powerWithoutUPower(
        kernel: PowerSource?, hasSeenBattery: Bool
    ) -> ConditionsMerger.ObservedValue<PowerSource> {
        // A daemon that is present but hangs may know better than the kernel's list.
        let confidence: Confidence = upower == .absent ? .reported : .guessed
        if let kernel, kernel != .unknown { return .init(value: kernel, source: .sysfs, confidence: confidence) }
        let unknownSource = ConditionsMerger.ObservedValue<PowerSource>(
            value: .unknown, source: .none, confidence: .assumed)
        guard kernel == nil, !hasSeenBattery else { return unknownSource }
        switch supplies {
        case .value: return .init(value: .ac, source: .sysfs, confidence: .guessed)
        case .absent: return .init(value: .ac, source: .rule, confidence: .guessed)
        case .pending, .silent: return unknownSource
        }
    }

    /// The combined state of all batteries.
    var battery: ConditionsMerger.ObservedValue<BatteryState> {
        if let reading = upower.value, let battery = reading.battery {
            return .init(value: battery, source: .upower, confidence: .reported)
        }
        if let battery = supplies.value.flatMap({ PowerSupplySummary(of: $0).battery }) {
            return .init(value: battery, source: .sysfs, confidence: .reported)
        }
        let source: FactSource = upower.value != nil ? .upower : supplies.value != nil ? .sysfs : .none
        return .init(value: BatteryState(), source: source, confidence: source == .none ? .assumed : .reported)
    }

    private static func words(_ source: PowerSource) -> String {
        switch source {
        case .ac: "AC"
        case .battery: "battery"
        case .unknown: "unknown"
        }
    }
}
