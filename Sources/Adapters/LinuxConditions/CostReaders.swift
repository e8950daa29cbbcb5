// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
import TransferPolicy

/// The readers of what the path costs: NetworkManager, ModemManager, the portal, the leases, and a person's overrides.
///
/// Lives on one executor's thread.
final class CostReaders {
    private let configuration: LinuxConditionsConfiguration
    private let executor: GLibExecutor
    private let apply: (@escaping ConditionReaders.Change) -> Void

    private var networkManager: ServiceReader<NetworkManagerReading>?
    private var modemManager: ServiceReader<[ModemReading]>?
    private var portal: PortalReader?
    private var overrides: OverridesReader?
    private let leases: LeaseFolders?
    private let isSandboxed: Bool

    /// Nil until NetworkManager's first word, or the word that it is not there.
    private var metered: Settling<Metered?>?
    private var meteredTimer: GLibSource?

    init(
        configuration: LinuxConditionsConfiguration, executor: GLibExecutor,
        apply: @escaping (@escaping ConditionReaders.Change) -> Void
    ) {
        self.configuration = configuration
        self.executor = executor
        self.apply = apply
        leases = configuration.readers.contains(.leases) ? LeaseFolders(root: configuration.leaseRoot) : nil
        isSandboxed = configuration.isSandboxed
    }

    /// Whether the system bus is of use here.
    var needBus: Bool {
        !configuration.readers.isDisjoint(with: [.networkManager, .modemManager])
    }

    /// Begins to read what needs no system bus, and prepares the rest.
    ///
    /// What is switched off counts as absent.
    func start() {
        startOverrides()
        let limit = configuration.serviceTimeLimit
        if configuration.readers.contains(.networkManager) {
            networkManager = NetworkManagerReader.make(on: executor, timeLimit: limit) { self.receivePrice($0) }
        } else {
            receivePrice(.absent)
        }
        if configuration.readers.contains(.modemManager) {
            modemManager = ModemManagerReader.make(on: executor, timeLimit: limit) { answer in
                self.apply { $0.modems = answer }
            }
        } else {
            apply { $0.modems = .absent }
        }
        if isSandboxed { startPortal() } else if !needBus { apply { $0.portal = .absent } }
        if !configuration.readers.contains(.portal) { apply { $0.portal = .absent } }
    }

    /// There is a system bus.
    func attach(to bus: BusConnection) {
        networkManager?.attach(to: bus)
        modemManager?.attach(to: bus)
        guard !isSandboxed else { return }
        portal?.stop()
        portal = nil
        apply { $0.portal = .absent }
    }

    /// There is no system bus, or no longer.
    func lose() {
        networkManager?.detach()
        modemManager?.detach()
        if networkManager != nil { receivePrice(.absent) }
        if modemManager != nil { apply { $0.modems = .absent } }
        startPortal()
    }

    /// Ends all of it.
    func stop() {
        networkManager?.detach()
        modemManager?.detach()
        portal?.stop()
        (networkManager, modemManager, portal, overrides, meteredTimer) = (nil, nil, nil, nil, nil)
    }

    /// The way out is another one.
    func pathChanged(to path: NetworkPath?) {
        if let leases {
            let isMetered = path.map { leases.sayMetered(of: $0.devices, now: Int64(time(nil))) } ?? false
            apply { $0.doesLeaseSayMetered = isMetered }
        }
        networkManager?.refresh()
    }

    /// In a sandbox the portal is started by the bus when it is asked for; elsewhere it is heard only where it runs.
    private func startPortal() {
        guard portal == nil, configuration.readers.contains(.portal) else { return }
        let portal = PortalReader(
            on: executor, startsService: isSandboxed, timeLimit: configuration.serviceTimeLimit
        ) { answer in self.apply { $0.portal = answer } }
        self.portal = portal
        portal.start()
    }

    private func startOverrides() {
        guard let path = configuration.overridesFile else { return }
        let file = OverridesFile(path: path)
        overrides = OverridesReader(file: file, on: executor) { self.receiveOverrides($0) }
        // What was read once still counts where the file cannot be watched.
        receiveOverrides(OverridesReader.read(file))
    }

    private func receiveOverrides(_ result: Result<ConnectionOverrides, OverridesFileError>) {
        apply {
            switch result {
            case .success(let overrides): ($0.overrides, $0.overridesProblem) = (overrides, nil)
            // What it said before still counts.
            case .failure(let error): $0.overridesProblem = "\(error)"
            }
        }
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
}
