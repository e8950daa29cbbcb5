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
    private var networkManager: NetworkManagerReader?
    private var supplies: PowerSupplyFolder?
    private var kernelEvents: KernelEventReader?
    private var routeQuery: RouteQuery?
    private var routeEvents: NetlinkEventReader?

    private var upowerAnswer = Answer<UPowerReading>.pending
    private var disagreementTimer: GLibSource?
    private var doesDisagreementCount = false
    private var path = Settling<NetworkPath?>(nil)
    private var pathTimer: GLibSource?
    /// Nil until NetworkManager's first word, or the word that it is not there.
    private var metered: Settling<Metered?>?
    private var meteredTimer: GLibSource?

    init(
        configuration: LinuxConditionsConfiguration, executor: GLibExecutor,
        apply: @escaping (@escaping Change) -> Void
    ) {
        self.configuration = configuration
        self.executor = executor
        self.apply = apply
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
        networkManager?.refresh()
    }

    /// Ends all readers here; returns the one with a thread of its own, which is still to be stopped.
    func stop() -> UPowerClientReader? {
        upower?.detach()
        networkManager?.detach()
        session?.stop()
        bus?.stop()
        (upower, networkManager, bus, kernelEvents, routeEvents, routeQuery) = (nil, nil, nil, nil, nil, nil)
        (session, disagreementTimer, pathTimer, meteredTimer) = (nil, nil, nil, nil)
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
        let first = snapshot.path
        apply { $0.path = .value(first) }
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
        networkManager?.refresh()
    }

    // MARK: Services

    private func startServices() {
        let wanted = configuration.readers.intersection([.upower, .networkManager, .powerProfiles, .logind])
        let session = SessionReaders(
            configuration: configuration, executor: executor, apply: apply, onWake: { [weak self] in self?.lookAtAll() }
        )
        self.session = session
        session.start()
        if !wanted.contains(.upower) { receivePower(.absent) }
        if !wanted.contains(.networkManager) { receivePrice(.absent) }
        guard !wanted.isEmpty else { return }
        let limit = configuration.serviceTimeLimit
        if wanted.contains(.upower) { startUPower(limit) }
        if wanted.contains(.networkManager) {
            networkManager = NetworkManagerReader(on: executor, timeLimit: limit) { self.receivePrice($0) }
        }
        let bus = SystemBus(on: executor, timeLimit: limit) { connection in
            self.upower?.attach(to: connection)
            self.networkManager?.attach(to: connection)
            self.session?.attach(to: connection)
        } onLoss: {
            self.upower?.detach()
            self.networkManager?.detach()
            self.session?.lose()
            if self.upower != nil { self.receivePower(.absent) }
            if self.networkManager != nil { self.receivePrice(.absent) }
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

    private func receivePrice(_ answer: Answer<NetworkManagerReading>) {
        let price = answer.value?.metered
        if metered == nil {
            // The first word counts as it is.
            metered = Settling(price)
        } else {
            settle(price)
        }
        let settled = metered?.settled
        apply {
            $0.networkManager = answer
            $0.metered = settled
        }
    }

    private func settle(_ price: Metered?) {
        switch metered?.offer(price, isUrgent: price == .yes || price == .guessYes) {
        case .nothing, nil: break
        case .forget, .take: meteredTimer = nil
        case .wait:
            meteredTimer = executor.after(milliseconds: configuration.meteredSettling.timerMilliseconds) {
                guard self.metered?.held() == true else { return }
                let settled = self.metered?.settled
                self.apply { $0.metered = settled }
            }
        }
    }

    /// Carries messages of another thread to the readers' own.
    private final class Inbox: @unchecked Sendable {
        // Guard for @unchecked: `receive` runs on the readers' executor only.
        private weak var readers: ConditionReaders?

        init(_ readers: ConditionReaders) { self.readers = readers }

        func receive(_ message: UPowerClientReader.Message) { readers?.upower?.receive(message) }
    }
}
