// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferPolicy

/// Follows the power profile: power-profiles-daemon by both of its names, and the desktop portal where the system bus
/// cannot be reached or the program runs in a sandbox, which hides the daemon.
final class PowerProfileReader {
    private let executor: GLibExecutor
    private let timeLimit: Duration
    private let isSandboxed: Bool
    private let deliver: (PowerProfileReading) -> Void

    private var reading = PowerProfileReading()
    private var watches: [PropertiesReader] = []
    private var portalWatch: PropertiesReader?
    private var sessionBus: SystemBus?

    /// - Parameter isSandboxed: whether the portal is to be asked from the beginning.
    init(
        on executor: GLibExecutor, timeLimit: Duration, isSandboxed: Bool,
        deliver: @escaping (PowerProfileReading) -> Void
    ) {
        self.executor = executor
        self.timeLimit = timeLimit
        self.isSandboxed = isSandboxed
        self.deliver = deliver
    }

    /// Begins; the system bus comes by `attach`.
    func start() {
        watches = [
            watch(currentName, \.current) { PowerProfileReading.profile(in: $0) },
            watch(formerName, \.former) { PowerProfileReading.profile(in: $0) },
        ]
        if isSandboxed { askPortal() }
    }

    /// Ends all of it.
    func stop() {
        for watch in watches { watch.detach() }
        portalWatch?.detach()
        sessionBus?.stop()
        (watches, portalWatch, sessionBus) = ([], nil, nil)
    }

    /// Follows the daemon on the system bus.
    func attach(to bus: BusConnection) {
        for watch in watches { watch.attach(to: bus) }
    }

    /// There is no system bus.
    func lose() {
        for watch in watches { watch.detach() }
        (reading.current, reading.former) = (.absent, .absent)
        askPortal()
        deliver(reading)
    }

    private func watch<Value: Hashable & Sendable>(
        _ subject: PropertiesSubject, _ part: WritableKeyPath<PowerProfileReading, Answer<Value>>,
        _ decode: @escaping ([String: VariantValue]) -> Value?
    ) -> PropertiesReader {
        PropertiesReader(subject, on: executor, timeLimit: timeLimit) { [weak self] answer in
            guard let self else { return }
            switch answer {
            case .value(let properties): reading[keyPath: part] = decode(properties).map { .value($0) } ?? .absent
            case .absent: reading[keyPath: part] = .absent
            case .silent: reading[keyPath: part] = .silent
            case .pending: reading[keyPath: part] = .pending
            }
            deliver(reading)
        }
    }

    private func askPortal() {
        guard sessionBus == nil else { return }
        reading.portal = .pending
        let watch = watch(portalName, \.portal) { PowerProfileReading.savesPower(in: $0) }
        portalWatch = watch
        let bus = SystemBus(on: executor, timeLimit: timeLimit, address: { BusConnection.sessionBusAddress() }) {
            watch.attach(to: $0)
        } onLoss: { [weak self] in
            watch.detach()
            guard let self else { return }
            reading.portal = .absent
            deliver(reading)
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
