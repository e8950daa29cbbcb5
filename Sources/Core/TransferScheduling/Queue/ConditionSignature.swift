// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The values of all facts in one number: conditions with the same signature allow the same.
struct ConditionSignature: Hashable, Sendable {
    let bits: UInt64

    /// No conditions have this one.
    static var none: ConditionSignature { ConditionSignature(bits: .max) }

    private init(bits: UInt64) { self.bits = bits }

    /// - Parameter connection: stands for the connection's name, below 2¹⁶.
    init(_ conditions: borrowing Conditions, connection: Int) {
        var bits = UInt64(conditions.power.value.number)
        // On mains nobody asks how full the battery is, which then may rise without another look at everything.
        let level = conditions.power.value == .ac ? nil : conditions.battery.value.level
        bits |= UInt64(level.map { UInt8(clamping: min($0, 254)) } ?? 255) << 2
        bits |= UInt64(conditions.network.value.number) << 10
        bits |= UInt64(conditions.linkKind.value.number) << 13
        bits |= UInt64(conditions.metered.value.number) << 16
        bits |= UInt64(conditions.roaming.value.number) << 19
        bits |= UInt64(conditions.sleep.value == .awake ? 1 : 0) << 21
        bits |= UInt64(conditions.powerProfile.value.number) << 22
        bits |= UInt64(UInt16(clamping: connection)) << 24
        bits |= UInt64(conditions.hold.value == nil ? 0 : 1) << 40
        self.bits = bits
    }
}

extension PowerSource {
    fileprivate var number: UInt8 {
        switch self {
        case .ac: 0
        case .battery: 1
        case .unknown: 2
        }
    }
}

extension PowerProfile {
    fileprivate var number: UInt8 {
        switch self {
        case .powerSaver: 0
        case .balanced: 1
        case .performance: 2
        case .unknown: 3
        }
    }
}

extension Reachability {
    fileprivate var number: UInt8 {
        switch self {
        case .none: 0
        case .portal: 1
        case .limited: 2
        case .full: 3
        case .unknown: 4
        }
    }
}

extension LinkKind {
    fileprivate var number: UInt8 {
        switch self {
        case .ethernet: 0
        case .wifi: 1
        case .cellular: 2
        case .bluetooth: 3
        case .usbTether: 4
        case .other: 5
        case .unknown: 6
        }
    }
}

extension Metered {
    fileprivate var number: UInt8 {
        switch self {
        case .yes: 0
        case .guessYes: 1
        case .no: 2
        case .guessNo: 3
        case .unknown: 4
        }
    }
}

extension Roaming {
    fileprivate var number: UInt8 {
        switch self {
        case .yes: 0
        case .no: 1
        case .unknown: 2
        }
    }
}
