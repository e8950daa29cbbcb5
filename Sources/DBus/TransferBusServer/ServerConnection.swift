// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol

/// The connection of a server to the bus, shared by the server's parts.
///
/// Used on the server's thread only.
final class ServerConnection {
    /// The connection; nil before the server has one and after its end.
    var bus: BusConnection? { didSet { programs.lend(bus) } }
    /// The accounts of the messages of each connection; nil while nothing is offered.
    var flow: BusFlow?
    private let programs: BusPrograms

    /// No connection yet; `programs` is lent each one.
    init(lendingTo programs: BusPrograms) { self.programs = programs }

    /// Whether a caller has left so much unread that nothing more is sent to it.
    func isStalled(_ name: String) -> Bool { flow?.isStalled(name) == true }

    /// Calls back when a caller has taken in all that it was sent before, or has gone. The caller's library answers by
    /// itself; a process that is stopped may take forever.
    func ping(_ name: String, _ answered: @escaping () -> Void) {
        guard let bus else { return }
        do {
            try bus.call(
                "Ping", of: "org.freedesktop.DBus.Peer", at: "/", service: name, [], type: "()", milliseconds: .max
            ) { _ in answered() }
        } catch {
            answered()
        }
    }

    /// Sends what has changed of an object's properties; a receiver that has just gone misses nothing.
    func emitChanged(
        _ properties: [String: VariantValue], of interface: String, to receiver: String,
        at path: String = TransferBusName.managerPath
    ) {
        try? bus?.emit(
            "PropertiesChanged", of: TransferBusName.properties, at: path, to: receiver,
            [.string(interface), .dictionary(properties), .list([])], type: "(sa{sv}as)")
    }
}
