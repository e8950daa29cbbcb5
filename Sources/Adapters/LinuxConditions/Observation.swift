// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferModel

/// An input of a reader, in its form before decoding.
///
/// All input for the conditions has this form and takes one path. A recording of observations can therefore be decoded
/// again, see `ConditionsReplay`.
enum Observation: Hashable, Sendable {
    /// The position of a read relative to a debounce.
    enum ReadTiming: Hashable, Sendable {
        /// A read that follows an event.
        case first
        /// A read at the end of the debounce.
        case afterDebounce
    }

    /// UPower's properties, and the kernel's power supplies at the same time.
    case power(upower: Availability<UPowerProperties>, supplies: Availability<[PowerSupplyFiles]>, ReadTiming)
    /// A kernel message about a power supply. Only a hint: the state is read from the supplies.
    case kernelEvent([String])
    /// The links, and the route that the kernel chooses.
    case path(Availability<NetworkSnapshot>, ReadTiming)
    /// The properties of NetworkManager.
    case networkManager(Availability<NetworkManagerProperties>)
    /// The end of the debounce of the metered state.
    case meteredDebounceEnded
    /// The objects that ModemManager manages.
    case modemManager(Availability<[VariantValue]>)
    /// The status of the network portal.
    case networkPortal(Availability<[VariantValue]>)
    /// The properties of one of the services that report the power profile.
    case powerProfile(PowerProfileReading.Service, Availability<[String: VariantValue]>)
    /// An announcement of the login manager.
    case login(Availability<SleepReading>)
    /// The lease files of the devices on the path.
    case leases([LeaseFile])
    /// The file of the user's overrides for connections.
    case overrides(OverridesContent)
    /// The user's source of prices; `nil` in an anonymous recording.
    case prices(SourceContent?)
    /// The value of a condition of the user.
    case custom(CustomReading)
    /// A change of the local time zone's rules.
    case localTime(LocalTimeRules)
    /// The end of the first snapshot's wait for sources that have not replied.
    case firstSnapshotIsDue
}
