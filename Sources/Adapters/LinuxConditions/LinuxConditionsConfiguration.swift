// SPDX-License-Identifier: Apache-2.0
import GLibBridge
public import TransferModel
import TransferPolicy

/// The readers that `LinuxConditions` runs, and their time limits.
///
/// ```swift
/// var configuration = LinuxConditionsConfiguration()
/// configuration.readers.remove(.modemManager)
/// configuration.sleepDelay = nil
/// ```
public struct LinuxConditionsConfiguration: Sendable {
    /// A reader of one source.
    public enum Reader: Hashable, Sendable, CaseIterable {
        /// The UPower daemon.
        case upower
        /// The kernel's power_supply class.
        case sysfs
        /// The kernel's links and routes.
        case netlink
        /// The NetworkManager daemon.
        case networkManager
        /// power-profiles-daemon, or the desktop portal if the daemon is absent.
        case powerProfiles
        /// The login manager, which announces sleep and shutdown.
        case logind
        /// The ModemManager daemon.
        case modemManager
        /// The network portal, in a sandbox or if there is no system bus.
        case portal
        /// The leases of systemd-networkd.
        case leases
    }

    /// The readers that run. All other sources count as absent.
    ///
    /// Default: all.
    public var readers: Set<Reader> = Set(Reader.allCases)
    /// The sysfs mount point under which power supplies are listed.
    ///
    /// Default: `/sys`.
    public var sysfsRoot = "/sys"
    /// The sysfs mount point under which network devices are listed. An entry counts only if its interface index
    /// agrees with the kernel's.
    ///
    /// Default: `/sys`.
    public var networkSysfsRoot = "/sys"
    /// The prefix of the paths of lease files.
    ///
    /// Default: empty.
    public var leaseRoot = ""
    /// The file whose existence shows that this process runs in a sandbox and must use portals.
    ///
    /// Default: `/.flatpak-info`.
    public var sandboxMarker = "/.flatpak-info"
    /// The file of the user's overrides for connections, see `ConnectionOverrides`; `nil` for no overrides.
    ///
    /// Default: `nil`.
    public var overridesFile: String?
    /// The source of energy prices.
    ///
    /// Default: `nil`. No price is known, and nothing is read.
    public var prices: PriceSource?
    /// The conditions of the user, each with a different name.
    ///
    /// Default: none.
    public var customConditions: [CustomConditionSource] = []
    /// Whether conditions of the user follow FIFOs. Each line in a FIFO reaches one process only.
    ///
    /// Default: true.
    public var followsPipes = true
    /// The time after which a service that has not replied counts as silent.
    ///
    /// Default: 1.5 s.
    public var serviceTimeLimit: Duration = .milliseconds(1500)
    /// The time that the first snapshot waits for readers that have not replied.
    ///
    /// Default and maximum: 2 s.
    public var firstSnapshotTimeLimit: Duration = .seconds(2)
    /// The time for which a disagreement between UPower and the kernel about power must last before it counts.
    ///
    /// Default: 200 ms.
    public var powerDebounce = DebouncedReading.power.defaultTime
    /// The time for which a gained link or route must last before it counts, if another change preceded it within this
    /// time. The first change after a quiet time and a lost link or route count immediately.
    ///
    /// Default: 50 ms.
    public var pathDebounce = DebouncedReading.path.defaultTime
    /// The time for which a network must be reported as free, or of unknown cost, before that counts. A metered
    /// network counts immediately.
    ///
    /// Default: 150 ms.
    public var meteredDebounce = DebouncedReading.price.defaultTime
    /// The maximum delay of sleep or shutdown while running transfers are stopped and saved; `nil` for no delay. The
    /// delay ends early if `readyToSleep()` is called. Logind proceeds after 5 s.
    ///
    /// Default: 4 s.
    public var sleepDelay: Duration? = .seconds(4)
    /// The rules of the local time zone, included in each snapshot, for weekly windows and for displayed times.
    ///
    /// Default: UTC, not the machine's zone. For the machine's zone, assign `LocalTimeRules(systemZoneIn:)` of the
    /// module `LinuxClock`, and a `LocalTimeWatch` to ``watchLocalTime``.
    public var localTime: LocalTimeRules = .utc
    /// Starts watching the local time zone. Calls `onChange` after each change of the rules, from any thread, until
    /// the returned object is released.
    ///
    /// Default: `nil`; the rules do not change.
    public var watchLocalTime: (@Sendable (_ onChange: @escaping @Sendable (LocalTimeRules) -> Void) -> any Sendable)?

    /// Receives a recording of all observations and the resulting conditions, line by line, see `ConditionsReplay`.
    /// Called on the readers' thread, which waits for the return.
    ///
    /// Default: `nil`. Nothing is recorded, at no cost.
    public var recorder: (@Sendable (_ line: String) -> Void)?
    /// A Boolean value that indicates whether a recording replaces names of connections, addresses, and paths with
    /// pseudonyms. The same name always gets the same pseudonym within a recording.
    ///
    /// Default: false.
    public var recordsAnonymously = false

    /// Creates a configuration with all defaults.
    public init() {}
}

extension LinuxConditionsConfiguration {
    /// Returns the time for which a change of a reading must last before it counts.
    func debounce(_ reading: DebouncedReading) -> Duration {
        switch reading {
        case .power: powerDebounce
        case .path: pathDebounce
        case .price: meteredDebounce
        }
    }

    /// Whether this program runs in a sandbox, which hides the system's services and offers portals.
    var isSandboxed: Bool {
        BusConnection.ownEnvironment("FLATPAK_ID") != nil || SmallFile.exists(sandboxMarker)
    }
}

extension Duration {
    /// The duration in whole milliseconds for GLib's timers, rounded up and not negative.
    var timerMilliseconds: UInt32 {
        let nanoseconds = max(wholeNanoseconds, 0)
        return UInt32(clamping: nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1))
    }
}
