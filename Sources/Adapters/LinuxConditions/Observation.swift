// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferModel

/// What a reader saw, as it enters the decoders.
///
/// Everything that conditions are made from comes in this form, and by one way only: what is kept of it can be decoded
/// again, see `ConditionsReplay`.
enum Observation: Hashable, Sendable {
    /// Which look at something that has to settle it is.
    enum Look: Hashable, Sendable {
        /// Something has happened.
        case first
        /// The time to settle is up.
        case afterSettling
    }

    /// UPower's answer, and the kernel's supplies at the same moment.
    case power(upower: Answer<UPowerProperties>, supplies: Answer<[PowerSupplyFiles]>, Look)
    /// A message of the kernel's about a power supply; what it means is read from the supplies.
    case kernelEvent([String])
    /// The links and the kernel's choice among them.
    case path(Answer<NetworkSnapshot>, Look)
    /// NetworkManager's properties.
    case networkManager(Answer<NetworkManagerProperties>)
    /// The time that a price has to hold is up.
    case priceHasHeld
    /// The objects that ModemManager manages.
    case modemManager(Answer<[VariantValue]>)
    /// The network portal's status.
    case networkPortal(Answer<[VariantValue]>)
    /// The properties of one of those who know of power profiles.
    case powerProfile(PowerProfileReading.Service, Answer<[String: VariantValue]>)
    /// What the login manager has announced.
    case login(Answer<SleepReading>)
    /// The leases of the devices on the path.
    case leases([LeaseFile])
    /// The file of a person's words on connections.
    case overrides(OverridesContent)
    /// The local time zone is another one.
    case localTime(LocalTimeRules)
    /// The first snapshot waits no longer for those who have not answered.
    case firstIsDue
}
