// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What one source says, or why it says nothing.
enum Answer<Value: Hashable & Sendable>: Hashable, Sendable {
    /// It was asked and may still answer in time.
    case pending
    /// It is not there.
    case absent
    /// It is there but did not answer in time.
    case silent
    /// It answered.
    case value(Value)

    /// What it said.
    var value: Value? {
        switch self {
        case .value(let value): value
        case .pending, .absent, .silent: nil
        }
    }

    /// The same answer with another value in the place of its own.
    func map<Other>(_ transform: (Value) -> Other) -> Answer<Other> { flatMap { .value(transform($0)) } }

    /// The same, where a value may turn out to be none.
    func flatMap<Other>(_ transform: (Value) -> Answer<Other>) -> Answer<Other> {
        switch self {
        case .pending: .pending
        case .absent: .absent
        case .silent: .silent
        case .value(let value): transform(value)
        }
    }
}

/// The newest words of all sources: what a snapshot is made from.
struct Readings: Hashable, Sendable {
    var upower: Answer<UPowerReading> = .pending
    var supplies: Answer<[PowerSupply]> = .pending
    /// Whether UPower and the kernel have told different things for long enough that it is not a matter of who is first.
    var doesPowerDisagreementCount = false
    /// Whether they tell different things, and it is still to be seen whether that lasts.
    var isPowerDisagreementOpen = false
    var powerProfile = PowerProfileReading()
    var sleep: Answer<SleepReading> = .pending
    var path: Answer<NetworkPath?> = .pending
    var networkManager: Answer<NetworkManagerReading> = .pending
    /// NetworkManager's word on the price, settled; nil while it gives none.
    var metered: Metered?
    var modems: Answer<[ModemReading]> = .pending
    var portal: Answer<PortalReading> = .pending
    /// Whether a DHCP lease of the path's interfaces says that the network is metered.
    var doesLeaseSayMetered = false
    /// A person's words on connections.
    var overrides = ConnectionOverrides()
    /// What is wrong with the file of those words.
    var overridesProblem: String?

    /// Whether every source has answered, or is known not to.
    var isComplete: Bool {
        upower != .pending && supplies != .pending && !isPowerDisagreementOpen && powerProfile.isComplete
            && sleep != .pending && path != .pending && networkManager != .pending && modems != .pending
            && portal != .pending
    }
}
