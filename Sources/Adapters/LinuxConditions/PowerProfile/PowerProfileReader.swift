// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferPolicy

/// Reads the power profile from power-profiles-daemon, under both of its names. The desktop portal takes its place if
/// the system bus cannot be reached, or in a sandbox, which hides the daemon.
final class PowerProfileReader {
    private let executor: GLibExecutor
    private let timeLimit: Duration
    private let isSandboxed: Bool
    private let deliver: (PowerProfileReading.Service, Availability<[String: VariantValue]>) -> Void

    private var watches: [PropertiesReader] = []
    private var portalWatch: PropertiesReader?
    private var sessionBus: SystemBus?

    /// - Parameter isSandboxed: Whether the portal is queried from the start.
    init(
        on executor: GLibExecutor, timeLimit: Duration, isSandboxed: Bool,
        deliver: @escaping (PowerProfileReading.Service, Availability<[String: VariantValue]>) -> Void
    ) {
        self.executor = executor
        self.timeLimit = timeLimit
        self.isSandboxed = isSandboxed
        self.deliver = deliver
    }

    /// Starts reading. The system bus follows with `attach`.
    func start() {
        watches = [
            watch(currentName, .current), watch(formerName, .former),
        ]
        if isSandboxed { askPortal() }
    }

    /// Stops all reading.
    func stop() {
        for watch in watches { watch.detach() }
        portalWatch?.detach()
        sessionBus?.stop()
        (watches, portalWatch, sessionBus) = ([], nil, nil)
    }

    /// Starts reading the daemon on the system bus.
    func attach(to bus: BusConnection) {
        for watch in watches { watch.attach(to: bus) }
    }

    /// Reports that there is no system bus.
    func handleBusLoss() {
        for watch in watches { watch.detach() }
        // The portal first, so that the first snapshot waits for its reply.
        askPortal()
        deliver(.current, .absent)
        deliver(.former, .absent)
    }

    private func watch(
        _ subject: PropertiesSubject, _ service: PowerProfileReading.Service
    ) -> PropertiesReader {
        PropertiesReader(subject, on: executor, timeLimit: timeLimit) { [weak self] in self?.deliver(service, $0) }
    }

    private func askPortal() {
        guard sessionBus == nil else { return }
        deliver(.portal, .pending)
        let watch = watch(portalName, .portal)
        portalWatch = watch
        let bus = SystemBus(on: executor, timeLimit: timeLimit, address: { BusConnection.sessionBusAddress() }) {
            watch.attach(to: $0)
        } onLoss: { [weak self] in
            watch.detach()
            self?.deliver(.portal, .absent)
        }
        sessionBus = bus
        bus.start()
    }
}

private let currentName = PropertiesSubject(
    service: "org.freedesktop.UPower.PowerProfiles", path: "/org/freedesktop/UPower/PowerProfiles",
    interface: "org.freedesktop.UPower.PowerProfiles")
private let formerName = PropertiesSubject(
    service: "net.hadess.PowerProfiles", path: "/net/hadess/PowerProfiles", interface: "net.hadess.PowerProfiles")
private let portalName = PropertiesSubject(
    service: "org.freedesktop.portal.Desktop", path: "/org/freedesktop/portal/desktop",
    interface: "org.freedesktop.portal.PowerProfileMonitor", startsService: true)
