// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol

/// The server's connection to the bus, shared by the server's parts.
///
/// Used only on the server's thread.
final class ServerConnection {
    /// The connection; `nil` before the server connects and after its end.
    var bus: BusConnection? { didSet { programs.lend(bus) } }
    /// The flow control for the messages of each caller; `nil` while nothing is exported.
    var flow: BusFlow?
    /// The ownership of the service's name; `nil` before the server has asked for it and after its release.
    var name: BusRegistration?
    private let programs: BusPrograms

    /// Creates a wrapper without a connection. Lends each new connection to `programs`.
    init(lendingTo programs: BusPrograms) { self.programs = programs }

    /// Releases the service's name. All messages that the bus sent to the owner of the name have then arrived.
    func releaseName() {
        name = nil
        // The bus sends its messages in order, so the reply follows those for the owner.
        _ = bus?.callBusSynchronously("GetId", milliseconds: 1000)
    }

    /// Whether a caller has so many unread messages that the server sends nothing more.
    func isStalled(_ name: String) -> Bool { flow?.isStalled(name) == true }

    /// Calls back after a caller has read everything sent earlier, or has disconnected. The caller's D-Bus library
    /// replies automatically. A stopped process may never reply.
    func ping(_ name: String, _ confirmed: @escaping () -> Void) {
        guard let bus else { return }
        do {
            try bus.call(
                "Ping", of: "org.freedesktop.DBus.Peer", at: "/", service: name, [], type: "()", milliseconds: .max
            ) { _ in confirmed() }
        } catch {
            confirmed()
        }
    }

    /// Sends the changed properties of the manager. Ignores errors, because a receiver that has just disconnected misses
    /// nothing.
    func emitChanged(_ properties: [String: VariantValue], to receiver: String) {
        try? bus?.emit(
            "PropertiesChanged", of: TransferBusName.properties, at: TransferBusName.managerPath, to: receiver,
            [.string(TransferBusName.managerInterface), .dictionary(properties), .list([])], type: "(sa{sv}as)")
    }
}
