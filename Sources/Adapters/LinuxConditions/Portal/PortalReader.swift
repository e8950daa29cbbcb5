// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Reads the network portal on the session bus, which a sandbox can query in place of NetworkManager.
final class PortalReader {
    private let bus: SystemBus
    private let reader: ServiceReader<[VariantValue]>

    /// - Parameter startsService: Whether the bus starts the portal if it is not running.
    init(
        on executor: GLibExecutor, startsService: Bool, timeLimit: Duration,
        deliver: @escaping (Availability<[VariantValue]>) -> Void
    ) {
        let reader = ServiceReader<[VariantValue]>(
            on: executor, name: name, startsService: startsService, timeLimit: timeLimit,
            hints: [.init(interface: interface, member: "changed", path: objectPath)],
            read: { bus, cancellation, done in
                bus.ask("GetStatus", of: interface, at: objectPath, service: name, cancellation: cancellation) {
                    result in
                    // A desktop without this portal, or with a version older than 3.
                    guard case .success(let values) = result else { return done(.absent) }
                    done(.value(values))
                }
            }, deliver: deliver)
        self.reader = reader
        bus = SystemBus(
            on: executor, timeLimit: timeLimit,
            address: { BusConnection.sessionBusAddress() }
        ) { connection in
            reader.attach(to: connection)
        } onLoss: {
            reader.detach()
            deliver(.absent)
        }
    }

    /// Connects now, or as soon as there is a session bus.
    func start() { bus.start() }

    /// Stops reading and releases the bus.
    func stop() {
        reader.detach()
        bus.stop()
    }
}

private let name = "org.freedesktop.portal.Desktop"
private let interface = "org.freedesktop.portal.NetworkMonitor"
private let objectPath = "/org/freedesktop/portal/desktop"
