// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The availability of a source, with its value if the source has replied.
enum Availability<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The source was queried and may still reply in time.
    case pending
    /// The source does not exist.
    case absent
    /// The source exists but did not reply in time.
    case silent
    /// The source has replied.
    case value(Value)

    /// The value; `nil` if the source has not replied.
    var value: Value? {
        switch self {
        case .value(let value): value
        case .pending, .absent, .silent: nil
        }
    }

    /// Returns the availability with its value transformed.
    func map<Other>(_ transform: (Value) -> Other) -> Availability<Other> { flatMap { .value(transform($0)) } }

    /// Returns the availability with its value transformed into another availability, which may have no value.
    func flatMap<Other>(_ transform: (Value) -> Availability<Other>) -> Availability<Other> {
        switch self {
        case .pending: .pending
        case .absent: .absent
        case .silent: .silent
        case .value(let value): transform(value)
        }
    }
}

/// The latest readings of all sources, from which a snapshot is made.
struct Readings: Hashable, Sendable {
    var upower: Availability<UPowerReading> = .pending
    var supplies: Availability<[PowerSupply]> = .pending
    /// Whether UPower and the kernel have disagreed for longer than the debounce.
    var doesPowerDisagreementCount = false
    /// Whether UPower and the kernel disagree and the debounce has not ended yet.
    var isPowerDisagreementOpen = false
    var powerProfile = PowerProfileReading()
    var sleep: Availability<SleepReading> = .pending
    var path: Availability<NetworkPath?> = .pending
    var networkManager: Availability<NetworkManagerReading> = .pending
    /// NetworkManager's debounced metered state; `nil` if NetworkManager reports none.
    var metered: Metered?
    var modems: Availability<[ModemReading]> = .pending
    var portal: Availability<PortalReading> = .pending
    /// Whether a DHCP lease of the path's interfaces says that the network is metered.
    var isLeaseMetered = false
    /// The user's overrides for connections.
    var overrides = ConnectionOverrides()
    /// The error in the file of overrides; `nil` if there is none.
    var overridesProblem: String?

    /// The prices of energy from the user's source.
    var prices = PriceReading()
    /// The conditions of the user, by name.
    var custom: [String: CustomReading] = [:]

    /// Whether every source has replied or is known to be unavailable.
    var isComplete: Bool {
        upower != .pending && supplies != .pending && !isPowerDisagreementOpen && powerProfile.isComplete
            && sleep != .pending && path != .pending && networkManager != .pending && modems != .pending
            && portal != .pending && !custom.values.contains { $0.isPending }
    }
}
