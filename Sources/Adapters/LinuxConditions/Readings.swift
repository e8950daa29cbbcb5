// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The answer of one source, or the reason for its absence.
enum Answer<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The source was queried and may still answer in time.
    case pending
    /// The source does not exist.
    case absent
    /// The source exists but did not answer in time.
    case silent
    /// The source answered.
    case value(Value)

    /// The answered value; nil in all other cases.
    var value: Value? {
        switch self {
        case .value(let value): value
        case .pending, .absent, .silent: nil
        }
    }

    /// Returns an answer with its value transformed.
    func map<Other>(_ transform: (Value) -> Other) -> Answer<Other> { flatMap { .value(transform($0)) } }

    /// Returns an answer with its value transformed into another answer, which may have no value.
    func flatMap<Other>(_ transform: (Value) -> Answer<Other>) -> Answer<Other> {
        switch self {
        case .pending: .pending
        case .absent: .absent
        case .silent: .silent
        case .value(let value): transform(value)
        }
    }
}

/// The newest answers of all sources, from which a snapshot is made.
struct Readings: Hashable, Sendable {
    var upower: Answer<UPowerReading> = .pending
    var supplies: Answer<[PowerSupply]> = .pending
    /// Whether UPower and the kernel have disagreed for longer than the debounce.
    var doesPowerDisagreementCount = false
    /// Whether UPower and the kernel disagree and the debounce has not ended yet.
    var isPowerDisagreementOpen = false
    var powerProfile = PowerProfileReading()
    var sleep: Answer<SleepReading> = .pending
    var path: Answer<NetworkPath?> = .pending
    var networkManager: Answer<NetworkManagerReading> = .pending
    /// NetworkManager's debounced metered state; nil if NetworkManager reports none.
    var metered: Metered?
    var modems: Answer<[ModemReading]> = .pending
    var portal: Answer<PortalReading> = .pending
    /// Whether a DHCP lease of the path's interfaces says that the network is metered.
    var doesLeaseSayMetered = false
    /// The user's overrides for connections.
    var overrides = ConnectionOverrides()
    /// The error in the file of overrides; nil if there is none.
    var overridesProblem: String?

    /// Whether every source has answered or is known to be unavailable.
    var isComplete: Bool {
        upower != .pending && supplies != .pending && !isPowerDisagreementOpen && powerProfile.isComplete
            && sleep != .pending && path != .pending && networkManager != .pending && modems != .pending
            && portal != .pending
    }
}
