// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferPolicy

/// All readers of conditions, with the dependencies between them: which event makes which reader read again, and the
/// debounce timers.
///
/// Used on one executor's thread only.
final class ConditionReaders {
    /// Receives an observation and returns the orders that follow from it.
    typealias Observe = (Observation) -> [ConditionsFold.Order]

    private let configuration: LinuxConditionsConfiguration
    private let executor: GLibExecutor
    private let observe: Observe

    private var bus: SystemBus?
    private var upower: UPowerWatch?
    private var upowerClient: UPowerClientReader?
    private var session: SessionReaders?
    private lazy var costs = CostReaders(configuration: configuration, executor: executor) { [weak self] in
        self?.report($0)
    }
    private var prices: PriceReader?
    private var custom: [CustomConditionReader] = []
    private var supplies: PowerSupplyFolder?
    private var kernelEvents: KernelEventReader?
    private var routeQuery: RouteQuery?
    private var routeEvents: NetlinkEventReader?

    private var upowerAvailability = Availability<UPowerProperties>.pending
    private var path: NetworkPath?
    private var timers: [DebouncedReading: GLibSource] = [:]

    init(configuration: LinuxConditionsConfiguration, executor: GLibExecutor, observe: @escaping Observe) {
        self.configuration = configuration
        self.executor = executor
        self.observe = observe
    }

    /// Starts reading.
    ///
    /// A reader that is switched off reports its source as absent.
    func start() {
        // First, so that the first snapshot has the prices of a file.
        if let source = configuration.prices {
            prices = PriceReader(source, on: executor) { [weak self] in self?.report(.prices($0)) }
            prices?.start()
        }
        custom = configuration.customConditions.map { source in
            CustomConditionReader(
                source, on: executor, serviceTimeLimit: configuration.serviceTimeLimit,
                followsPipes: configuration.followsPipes
            ) { [weak self] in self?.report(.custom($0)) }
        }
        for reader in custom { reader.start() }
        startSupplies()
        startPath()
        startServices()
    }

    /// Lets an announced sleep or shutdown proceed.
    func allowSleep() { session?.allowSleep() }

    /// Prevents sleep, or allows it again if `report` is `nil`.
    func preventSleep(_ report: ((Bool) -> Void)?) { session?.preventSleep(report) }

    /// Reads everything again. After sleep, anything may have changed without an event.
    private func readAll() {
        powerSupplyChanged()
        upowerClient?.refresh()
        if routeQuery != nil { pathMayHaveChanged() }
        costs.pathChanged(to: path)
        prices?.read()
        for reader in custom { reader.read() }
    }

    /// Stops all readers on this thread.
    ///
    /// - Returns: The UPower client, which has its own thread and remains to be stopped.
    func stop() -> UPowerClientReader? {
        upower?.detach()
        costs.stop()
        prices?.stop()
        prices = nil
        for reader in custom { reader.stop() }
        custom = []
        session?.stop()
        bus?.stop()
        (upower, bus, kernelEvents, routeEvents, routeQuery) = (nil, nil, nil, nil, nil)
        (session, timers) = (nil, [:])
        return upowerClient
    }

    private func report(_ observation: Observation) {
        for order in observe(observation) { perform(order) }
    }

    private func perform(_ order: ConditionsFold.Order) {
        switch order {
        case .startTimer(let reading): startTimer(reading)
        case .stopTimer(let reading): timers[reading] = nil
        case .readPrices(let time): prices?.read(after: time)
        case .pathChanged(let path):
            self.path = path
            costs.pathChanged(to: path)
        }
    }

    private func startTimer(_ reading: DebouncedReading) {
        timers[reading] = executor.after(milliseconds: configuration.debounce(reading).timerMilliseconds) {
            self.timers[reading] = nil
            switch reading {
            case .power: self.readSupplies(.afterDebounce)
            case .path: self.readPath(.afterDebounce)
            case .price: self.report(.meteredDebounceEnded)
            }
        }
    }

    // MARK: Power

    private func startSupplies() {
        guard configuration.readers.contains(.sysfs) else { return readSupplies() }
        supplies = PowerSupplyFolder(sysfsRoot: configuration.sysfsRoot)
        let isRecording = configuration.recorder != nil
        kernelEvents = KernelEventReader(
            on: executor, onMessage: isRecording ? { self.report(.kernelEvent($0)) } : nil
        ) { self.powerSupplyChanged() }
        readSupplies()
    }

    /// Reads the power supplies and checks UPower, which receives the same event if it still responds.
    private func powerSupplyChanged() {
        upower?.checkResponse()
        readSupplies()
    }

    private func receivePower(_ availability: Availability<UPowerProperties>) {
        upowerAvailability = availability
        readSupplies()
    }

    private func readSupplies(_ timing: Observation.ReadTiming = .first) {
        let supplies = supplies?.read().map { Availability.value($0) } ?? .absent
        report(.power(upower: upowerAvailability, supplies: supplies, timing))
    }

    // MARK: Path

    private func startPath() {
        guard configuration.readers.contains(.netlink) else { return report(.path(.absent, .first)) }
        // Events first, so that no change between the two steps is missed.
        routeEvents = NetlinkEventReader(on: executor) { self.pathMayHaveChanged() }
        routeQuery = RouteQuery(files: DeviceFilesReader(sysfsRoot: configuration.networkSysfsRoot))
        guard let snapshot = routeQuery?.snapshot() else { return report(.path(.absent, .first)) }
        report(.path(.value(snapshot), .first))
    }

    /// Reads the path immediately, so that the first change counts without delay, and again after the debounce.
    ///
    /// Hints in between wait for the second read: a flood of route changes costs one read every 50 ms, and a link that
    /// comes and goes is followed no faster.
    private func pathMayHaveChanged() {
        guard timers[.path] == nil else { return }
        readPath(.first)
        startTimer(.path)
    }

    private func readPath(_ timing: Observation.ReadTiming) {
        guard let snapshot = routeQuery?.snapshot() else { return }
        report(.path(.value(snapshot), timing))
    }

    // MARK: Services

    private func startServices() {
        let session = SessionReaders(
            configuration: configuration, executor: executor, report: { [weak self] in self?.report($0) },
            onWake: { [weak self] in self?.readAll() })
        self.session = session
        session.start()
        let limit = configuration.serviceTimeLimit
        let wantsUPower = configuration.readers.contains(.upower)
        if wantsUPower { startUPower(limit) } else { receivePower(.absent) }
        costs.start()
        let wantsSession = !configuration.readers.isDisjoint(with: [.powerProfiles, .logind])
        let hasProperties = configuration.customConditions.contains { $0.isOnSystemBus }
        guard wantsUPower || wantsSession || costs.needBus || hasProperties else { return }
        let bus = SystemBus(on: executor, timeLimit: limit) { connection in
            self.upower?.attach(to: connection)
            self.costs.attach(to: connection)
            self.session?.attach(to: connection)
            for reader in self.custom { reader.attach(toSystemBus: connection) }
        } onLoss: {
            self.upower?.detach()
            self.session?.handleBusLoss()
            if self.upower != nil { self.receivePower(.absent) }
            self.costs.handleBusLoss()
            for reader in self.custom { reader.handleSystemBusLoss() }
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

    /// Passes messages from the UPower client's thread to the readers' thread.
    private final class Inbox: @unchecked Sendable {
        // Guard for `@unchecked`: `receive` runs on the readers' executor only.
        private weak var readers: ConditionReaders?

        init(_ readers: ConditionReaders) { self.readers = readers }

        func receive(_ message: UPowerClientReader.Message) { readers?.upower?.receive(message) }
    }
}
