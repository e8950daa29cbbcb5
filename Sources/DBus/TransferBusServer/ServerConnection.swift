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
    /// Called when the server ends.
    var onEnd = {}
    private var registrations: [BusRegistration] = []
    private var end: BusServer.End?
    private var waiting: [CheckedContinuation<BusServer.End, Never>] = []
    private var onReady: CheckedContinuation<Void, any Error>?

    /// Creates a wrapper without a connection. Lends each new connection to `programs`.
    init(lendingTo programs: BusPrograms) { self.programs = programs }

    /// Connects to the bus, exports the objects, and then acquires the service's name. No caller can therefore find the
    /// name without its objects.
    ///
    /// - Parameters:
    ///   - onReady: A continuation that receives the end of the start, or `BusServerError`.
    ///   - export: Exports the objects.
    ///   - confirm: Asks a caller to confirm that it reads its messages, on any thread.
    ///   - onOwner: Receives each name that appears, disappears, or changes owners, with its old and new owner.
    func start(
        address: String, _ onReady: CheckedContinuation<Void, any Error>,
        export: @escaping (BusConnection, BusFlow) throws -> [BusRegistration],
        confirm: @escaping @Sendable (String) -> Void, onOwner: @escaping (String, String, String) -> Void
    ) {
        self.onReady = onReady
        BusConnection.open(address: address, cancellation: Cancellation()) { result in
            let bus: BusConnection
            switch result {
            case .success(let opened): bus = opened
            case .failure(let error): return self.finish(.noBus(error.message))
            }
            self.bus = bus
            bus.onClosed { self.finish(.noBus("the bus has closed the connection")) }
            let flow = BusFlow(
                refusals: BusFlow.Refusals(
                    tooLarge: BusFault(.messageTooLarge, "").name, tooMany: BusFault(.limitExceeded, "").name),
                requestConfirmation: confirm)
            self.flow = flow
            self.registrations.append(bus.limit(by: flow))
            self.registrations.append(
                bus.subscribe(
                    to: "NameOwnerChanged", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
                    sender: "org.freedesktop.DBus"
                ) { values in
                    let texts = values.compactMap(\.string)
                    guard texts.count == 3 else { return }
                    onOwner(texts[0], texts[1], texts[2])
                })
            do { self.registrations += try export(bus, flow) } catch { return self.finish(.noBus("\(error)")) }
            self.name = bus.own(TransferBusName.service) { isOurs in
                guard isOurs else { return self.finish(.nameTaken) }
                self.onReady?.resume()
                self.onReady = nil
            }
        }
    }

    /// Resumes a continuation once the server is stopped, or the bus or the name is lost.
    func whenEnded(_ continuation: CheckedContinuation<BusServer.End, Never>) {
        guard let end else { return waiting.append(continuation) }
        continuation.resume(returning: end)
    }

    /// Closes the connection because the server is stopped.
    func close() {
        finish(.stopped)
        bus?.flush()
        bus?.close()
        bus = nil
    }

    private func finish(_ end: BusServer.End) {
        guard self.end == nil else { return }
        self.end = end
        (registrations, name, flow) = ([], nil, nil)
        onEnd()
        onEnd = {}
        onReady?.resume(throwing: BusServerError(end: end))
        onReady = nil
        for continuation in waiting { continuation.resume(returning: end) }
        waiting = []
    }

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
