// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferPolicy

/// The readers of what the path costs: NetworkManager, ModemManager, the portal, the leases, and a person's overrides.
///
/// Lives on one executor's thread.
final class CostReaders {
    private let configuration: LinuxConditionsConfiguration
    private let executor: GLibExecutor
    private let tell: (Observation) -> Void

    private var networkManager: ServiceReader<NetworkManagerProperties>?
    private var modemManager: ServiceReader<[VariantValue]>?
    private var portal: PortalReader?
    private var overrides: OverridesReader?
    private let leases: LeaseFolders?
    private let isSandboxed: Bool

    init(
        configuration: LinuxConditionsConfiguration, executor: GLibExecutor,
        tell: @escaping (Observation) -> Void
    ) {
        self.configuration = configuration
        self.executor = executor
        self.tell = tell
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
            networkManager = NetworkManagerReader.make(on: executor, timeLimit: limit) {
                self.tell(.networkManager($0))
            }
        } else {
            tell(.networkManager(.absent))
        }
        if configuration.readers.contains(.modemManager) {
            modemManager = ModemManagerReader.make(on: executor, timeLimit: limit) {
                self.tell(.modemManager($0))
            }
        } else {
            tell(.modemManager(.absent))
        }
        if isSandboxed { startPortal() } else if !needBus { tell(.networkPortal(.absent)) }
        if !configuration.readers.contains(.portal) { tell(.networkPortal(.absent)) }
    }

    /// There is a system bus.
    func attach(to bus: BusConnection) {
        networkManager?.attach(to: bus)
        modemManager?.attach(to: bus)
        guard !isSandboxed else { return }
        portal?.stop()
        portal = nil
        tell(.networkPortal(.absent))
    }

    /// There is no system bus, or no longer.
    func lose() {
        networkManager?.detach()
        modemManager?.detach()
        if networkManager != nil { tell(.networkManager(.absent)) }
        if modemManager != nil { tell(.modemManager(.absent)) }
        startPortal()
    }

    /// Ends all of it.
    func stop() {
        networkManager?.detach()
        modemManager?.detach()
        portal?.stop()
        (networkManager, modemManager, portal, overrides) = (nil, nil, nil, nil)
    }

    /// The way out is another one.
    func pathChanged(to path: NetworkPath?) {
        if let leases { tell(.leases(leases.files(of: path?.devices ?? []))) }
        networkManager?.refresh()
    }

    /// In a sandbox the portal is started by the bus when it is asked for; elsewhere it is heard only where it runs.
    private func startPortal() {
        guard portal == nil, configuration.readers.contains(.portal) else { return }
        let portal = PortalReader(
            on: executor, startsService: isSandboxed, timeLimit: configuration.serviceTimeLimit
        ) { self.tell(.networkPortal($0)) }
        self.portal = portal
        portal.start()
    }

    private func startOverrides() {
        guard let path = configuration.overridesFile else { return }
        let file = OverridesFile(path: path)
        overrides = OverridesReader(file: file, on: executor) { self.tell(.overrides($0)) }
        // What was read once still counts where the file cannot be watched.
        tell(.overrides(OverridesReader.read(file)))
    }
}
