// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferPolicy

/// The readers of the path's cost: NetworkManager, ModemManager, the network portal, leases of systemd-networkd, and the
/// user's overrides.
///
/// Used on one executor's thread only.
final class CostReaders {
    private let configuration: LinuxConditionsConfiguration
    private let executor: GLibExecutor
    private let report: (Observation) -> Void

    private var networkManager: ServiceReader<NetworkManagerProperties>?
    private var modemManager: ServiceReader<[VariantValue]>?
    private var portal: PortalReader?
    private var overrides: OverridesReader?
    private let isSandboxed: Bool

    init(
        configuration: LinuxConditionsConfiguration, executor: GLibExecutor,
        report: @escaping (Observation) -> Void
    ) {
        self.configuration = configuration
        self.executor = executor
        self.report = report
        isSandboxed = configuration.isSandboxed
    }

    /// Whether a reader of this type needs the system bus.
    var needBus: Bool {
        !configuration.readers.isDisjoint(with: [.networkManager, .modemManager])
    }

    /// Starts the readers that need no system bus and prepares the others.
    ///
    /// A reader that is switched off reports its source as absent.
    func start() {
        startOverrides()
        let limit = configuration.serviceTimeLimit
        if configuration.readers.contains(.networkManager) {
            networkManager = NetworkManagerReader.make(on: executor, timeLimit: limit) {
                self.report(.networkManager($0))
            }
        } else {
            report(.networkManager(.absent))
        }
        if configuration.readers.contains(.modemManager) {
            modemManager = ModemManagerReader.make(on: executor, timeLimit: limit) {
                self.report(.modemManager($0))
            }
        } else {
            report(.modemManager(.absent))
        }
        if isSandboxed { startPortal() } else if !needBus { report(.networkPortal(.absent)) }
        if !configuration.readers.contains(.portal) { report(.networkPortal(.absent)) }
    }

    /// Attaches the readers to the system bus. Outside a sandbox, the portal is then not needed.
    func attach(to bus: BusConnection) {
        networkManager?.attach(to: bus)
        modemManager?.attach(to: bus)
        guard !isSandboxed else { return }
        portal?.stop()
        portal = nil
        report(.networkPortal(.absent))
    }

    /// Reports that there is no system bus, or that the connection to it was lost.
    func handleBusLoss() {
        networkManager?.detach()
        modemManager?.detach()
        if networkManager != nil { report(.networkManager(.absent)) }
        if modemManager != nil { report(.modemManager(.absent)) }
        startPortal()
    }

    /// Stops all readers.
    func stop() {
        networkManager?.detach()
        modemManager?.detach()
        portal?.stop()
        (networkManager, modemManager, portal, overrides) = (nil, nil, nil, nil)
    }

    /// Reads the leases of the new path's devices, and queries NetworkManager again.
    func pathChanged(to path: NetworkPath?) {
        if configuration.readers.contains(.leases) {
            report(.leases(LeaseFile.files(of: path?.devices ?? [], root: configuration.leaseRoot)))
        }
        networkManager?.refresh()
    }

    /// Starts the portal's reader. In a sandbox, D-Bus starts the portal on first use; elsewhere, only a running
    /// portal is read.
    private func startPortal() {
        guard portal == nil, configuration.readers.contains(.portal) else { return }
        let portal = PortalReader(
            on: executor, startsService: isSandboxed, timeLimit: configuration.serviceTimeLimit
        ) { self.report(.networkPortal($0)) }
        self.portal = portal
        portal.start()
    }

    private func startOverrides() {
        guard let path = configuration.overridesFile else { return }
        let file = OverridesFile(path: path)
        overrides = OverridesReader(file: file, on: executor) { self.report(.overrides($0)) }
        // The content of this first read counts even if the file cannot be watched.
        report(.overrides(OverridesReader.read(file)))
    }
}
