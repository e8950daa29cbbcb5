// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferPolicy

/// All readers and what they owe one another: whose event makes whom look again, and what settles first.
///
/// Lives on one executor's thread.
final class ConditionReaders {
    /// One change of the readings.
    typealias Change = (inout Readings) -> Void

    private let configuration: LinuxConditionsConfiguration
    private let executor: GLibExecutor
    private let apply: (@escaping Change) -> Void

    private var bus: SystemBus?
    private var upower: UPowerWatch?
    private var upowerClient: UPowerClientReader?
    private var session: SessionReaders?
    private let costs: CostReaders
    private var supplies: PowerSupplyFolder?
    private var kernelEvents: KernelEventReader?
    private var routeQuery: RouteQuery?
    private var routeEvents: NetlinkEventReader?

    private var upowerAnswer = Answer<UPowerReading>.pending
    private var disagreementTimer: GLibSource?
    private var doesDisagreementCount = false
    private var path = Settling<NetworkPath?>(nil)
    private var pathTimer: GLibSource?

    init(
        configuration: LinuxConditionsConfiguration, executor: GLibExecutor,
        apply: @escaping (@escaping Change) -> Void
    ) {
        self.configuration = configuration
        self.executor = executor
        self.apply = apply
        costs = CostReaders(configuration: configuration, executor: executor, apply: apply)
    }

    /// Begins to read.
    ///
    /// What is switched off counts as absent.
    func start() {
        startSupplies()
        startPath()
        startServices()
    }

    /// What the login manager has announced may go ahead.
    func allowSleep() { session?.allowSleep() }

    /// Looks at everything once more: after sleep nothing need be as it was, and what changed meanwhile may have been told
    /// to nobody.
    private func lookAtAll() {
        powerSupplyChanged()
        upowerClient?.refresh()
        if routeQuery != nil { pathMayHaveChanged() }
        costs.pathChanged(to: path.settled)
    }

    /// Ends all readers here; returns the one with a thread of its own, which is still to be stopped.
    func stop() -> UPowerClientReader? {
        upower?.detach()
        costs.stop()
        session?.stop()
        bus?.stop()
        (upower, bus, kernelEvents, routeEvents, routeQuery) = (nil, nil, nil, nil, nil)
        (session, disagreementTimer, pathTimer) = (nil, nil, nil)
        return upowerClient
    }

    // MARK: Power

    private func startSupplies() {
        guard configuration.readers.contains(.sysfs) else { return readSupplies() }
        supplies = PowerSupplyFolder(sysfsRoot: configuration.sysfsRoot)
        kernelEvents = KernelEventReader(on: executor) { self.powerSupplyChanged() }
        readSupplies()
    }

    /// UPower hears the same announcement, if it still answers.
    private func powerSupplyChanged() {
        upower?.doubt()
        readSupplies()
    }

    private func receivePower(_ answer: Answer<UPowerReading>) {
        upowerAnswer = answer
        readSupplies()
    }

    /// Compares UPower's word with the kernel's of the same moment.
    ///
    /// One is always a little ahead of the other, so that they disagree counts only once it has lasted.
    private func readSupplies(isLasting: Bool = false) {
        let (upower, supplies) = (upowerAnswer, suppliesNow())
        let differ = Readings.disagree(upower, supplies)
        if !differ {
            disagreementTimer = nil
            doesDisagreementCount = false
        } else if isLasting {
            doesDisagreementCount = true
        } else if !doesDisagreementCount, disagreementTimer == nil {
            disagreementTimer = executor.after(milliseconds: configuration.powerSettling.timerMilliseconds) {
                self.disagreementTimer = nil
                self.readSupplies(isLasting: true)
            }
        }
        let (counts, isOpen) = (doesDisagreementCount, disagreementTimer != nil)
        apply {
            $0.isPowerDisagreementOpen = isOpen
            $0.upower = upower
            $0.supplies = supplies
            $0.doesPowerDisagreementCount = counts
        }
    }

    private func suppliesNow() -> Answer<[PowerSupply]> { supplies?.read().map { .value($0) } ?? .absent }

    // MARK: Path

    private func startPath() {
        guard configuration.readers.contains(.netlink) else { return apply { $0.path = .absent } }
        // Events first: what changes between the two is then not missed.
        routeEvents = NetlinkEventReader(on: executor) { self.pathMayHaveChanged() }
        routeQuery = RouteQuery(files: DeviceFilesReader(sysfsRoot: configuration.networkSysfsRoot))
        guard let snapshot = routeQuery?.snapshot() else { return apply { $0.path = .absent } }
        path = Settling(snapshot.path)
        pathChanged()
    }

    /// Looks at once, so that a loss counts at once, and again when things have had time to settle.
    ///
    /// Hints in between wait for that second look: a flood of routes costs one look each 50 ms.
    private func pathMayHaveChanged() {
        guard pathTimer == nil else { return }
        look()
        pathTimer = executor.after(milliseconds: configuration.pathSettling.timerMilliseconds) {
            self.pathTimer = nil
            self.lookAgain()
        }
    }

    private func look() {
        guard let snapshot = routeQuery?.snapshot() else { return }
        let isUrgent = NetworkPath.isUrgent(from: path.settled, to: snapshot.path)
        if path.offer(snapshot.path, isUrgent: isUrgent) == .take { pathChanged() }
    }

    private func lookAgain() {
        guard let snapshot = routeQuery?.snapshot() else { return }
        let isUrgent = NetworkPath.isUrgent(from: path.settled, to: snapshot.path)
        switch path.offer(snapshot.path, isUrgent: isUrgent) {
        case .take: pathChanged()
        case .nothing: if path.held() { pathChanged() }
        case .forget: break  // what was to come has gone again
        case .wait: pathMayHaveChanged()
        }
    }

    private func pathChanged() {
        let settled = path.settled
        apply { $0.path = .value(settled) }
        costs.pathChanged(to: settled)
    }

    // MARK: Services

    private func startServices() {
        let session = SessionReaders(
            configuration: configuration, executor: executor, apply: apply, onWake: { [weak self] in self?.lookAtAll() }
        )
        self.session = session
        session.start()
        let limit = configuration.serviceTimeLimit
        let wantsUPower = configuration.readers.contains(.upower)
        if wantsUPower { startUPower(limit) } else { receivePower(.absent) }
        costs.start()
        let wantsSession = !configuration.readers.isDisjoint(with: [.powerProfiles, .logind])
        guard wantsUPower || wantsSession || costs.needBus else { return }
        let bus = SystemBus(on: executor, timeLimit: limit) { connection in
            self.upower?.attach(to: connection)
            self.costs.attach(to: connection)
            self.session?.attach(to: connection)
        } onLoss: {
            self.upower?.detach()
            self.session?.lose()
            if self.upower != nil { self.receivePower(.absent) }
            self.costs.lose()
        }
        self.bus = bus
        bus.start()
    }

    private func startUPower(_ limit: Duration) {
        let executor = executor
        let inbox = Inbox(self)
        let client = UPowerClientReader { message in executor.perform { inbox.receive(message) } }
        upowerClient = client
        upower = UPowerWatch(on: executor, client: client, timeLimit: limit) { self.receivePower($0) }
    }

    /// Carries messages of another thread to the readers' own.
    private final class Inbox: @unchecked Sendable {
        // Guard for @unchecked: `receive` runs on the readers' executor only.
        private weak var readers: ConditionReaders?

        init(_ readers: ConditionReaders) { self.readers = readers }

        func receive(_ message: UPowerClientReader.Message) { readers?.upower?.receive(message) }
    }
}
