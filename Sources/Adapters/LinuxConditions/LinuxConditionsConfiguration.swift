// SPDX-License-Identifier: Apache-2.0
import GLibBridge
public import TransferModel
import TransferPolicy

/// What `LinuxConditions` reads, and how long it waits.
public struct LinuxConditionsConfiguration: Sendable {
    /// One source of facts.
    public enum Reader: Hashable, Sendable, CaseIterable {
        /// The UPower daemon.
        case upower
        /// The kernel's power_supply class.
        case sysfs
        /// The kernel's links and routes.
        case netlink
        /// NetworkManager.
        case networkManager
        /// power-profiles-daemon, and the desktop portal in its place.
        case powerProfiles
        /// The login manager: sleep, and the machine's end.
        case logind
        /// ModemManager.
        case modemManager
        /// The network portal: in a sandbox, and where there is no system bus.
        case portal
        /// The leases of DHCP clients.
        case leases
    }

    /// The readers that run; the others count as absent.
    ///
    /// Default: all.
    public var readers: Set<Reader> = Set(Reader.allCases)
    /// The sysfs that lists power supplies.
    ///
    /// Default: `/sys`.
    public var sysfsRoot = "/sys"
    /// The sysfs that lists network devices; what it shows counts only where it agrees with the kernel on an
    /// interface's index.
    ///
    /// Default: `/sys`.
    public var networkSysfsRoot = "/sys"
    /// What stands before the paths of DHCP clients' leases.
    ///
    /// Default: nothing.
    public var leaseRoot = ""
    /// The file whose existence tells that this is a sandbox, which is to ask portals.
    ///
    /// Default: `/.flatpak-info`.
    public var sandboxMarker = "/.flatpak-info"
    /// The file of a person's words on connections, see `ConnectionOverrides`; nil for none.
    ///
    /// Default: nil.
    public var overridesFile: String?
    /// How long a service may take to answer before it counts as silent.
    ///
    /// Default: 1.5 s.
    public var serviceTimeLimit: Duration = .milliseconds(1500)
    /// How long the first snapshot waits for readers that have not answered.
    ///
    /// Default, and at most: 2 s.
    public var firstSnapshotTimeLimit: Duration = .seconds(2)
    /// How long the kernel's word on power waits for UPower to say the same.
    ///
    /// Default: 200 ms.
    public var powerSettling = DebouncedReading.power.defaultTime
    /// How long a gained link or route must hold; a lost one counts at once.
    ///
    /// Default: 50 ms.
    public var pathSettling = DebouncedReading.path.defaultTime
    /// How long a network must be said to be free, or of unknown price; a costly one counts at once.
    ///
    /// Default: 150 ms.
    public var meteredSettling = DebouncedReading.price.defaultTime
    /// How long sleep, or the machine's end, is put off at most for what runs to be stopped and saved: until
    /// `readyToSleep()` is called, and no longer than that. Logind goes ahead after 5 s. Nil puts nothing off.
    ///
    /// Default: 4 s.
    public var sleepDelay: Duration? = .seconds(4)
    /// The local time zone's rules, handed on in each snapshot.
    ///
    /// Default: UTC.
    public var localTime: LocalTimeRules = .utc
    /// Begins to watch the local time zone: calls what it is given with each change of the rules, from any thread, until
    /// what it returns is let go.
    ///
    /// Default: nil; the rules stay.
    public var watchLocalTime: (@Sendable (_ onChange: @escaping @Sendable (LocalTimeRules) -> Void) -> any Sendable)?

    /// Takes a recording of all that is read and of the conditions that come of it, line by line, see `ConditionsReplay`;
    /// called on the readers' thread, which it holds up.
    ///
    /// Default: nil; nothing is recorded, and that costs nothing.
    public var recorder: (@Sendable (_ line: String) -> Void)?
    /// Whether a recording holds other names in the place of connections' names, addresses and paths; the same name for
    /// the same thing within one recording.
    ///
    /// Default: false.
    public var recordsAnonymously = false

    /// The defaults.
    public init() {}
}

extension LinuxConditionsConfiguration {
    /// The time for which a change of that reading must hold.
    func debounce(_ reading: DebouncedReading) -> Duration {
        switch reading {
        case .power: powerSettling
        case .path: pathSettling
        case .price: meteredSettling
        }
    }

    /// Whether this program runs in a sandbox, which hides the services and shows portals.
    var isSandboxed: Bool {
        BusConnection.ownEnvironment("FLATPAK_ID") != nil || SmallFile.exists(sandboxMarker)
    }
}

extension Duration {
    /// Whole milliseconds as GLib's timers take them; never less than the duration.
    var timerMilliseconds: UInt32 {
        let nanoseconds = max(wholeNanoseconds, 0)
        return UInt32(clamping: nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1))
    }
}
