// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
internal import TransferBusProtocol
package import TransferModel

/// A server that exports only the conditions for other programs, for the system bus.
///
/// Every program on the bus may read the properties. No method changes anything.
package actor ConditionsServer {
    private let executor: GLibExecutor
    private let connection: ServerConnection
    private let object: ConditionsObject
    private var registrations: [BusRegistration] = []
    private var end: BusServer.End?
    private var waiting: [CheckedContinuation<BusServer.End, Never>] = []
    private var onReady: CheckedContinuation<Void, any Error>?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates a server that exports nothing before ``start(address:)``.
    package init(since now: WallTime) {
        let programs = BusPrograms()
        executor = programs.executor
        connection = ServerConnection(lendingTo: programs)
        object = ConditionsObject(over: connection, since: now)
    }

    /// Connects to the bus, exports the object, and then acquires the name.
    ///
    /// - Throws: `BusServerError` that states the problem.
    package func start(address: String) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            onReady = continuation
            BusConnection.open(address: address, cancellation: Cancellation()) { result in
                switch result {
                case .success(let bus): self.export(on: bus)
                case .failure(let error): self.finish(.noBus(error.message))
                }
            }
        }
    }

    /// Publishes a report.
    package func publish(_ report: DiscretionaryReport) { object.publish(report) }

    /// Waits until the server is stopped, or the bus or the name is lost.
    package func ended() async -> BusServer.End {
        if let end { return end }
        return await withCheckedContinuation { waiting.append($0) }
    }

    /// Closes the connection.
    package func stop() {
        finish(.stopped)
        connection.bus?.flush()
        connection.bus?.close()
        connection.bus = nil
    }

    private func export(on bus: BusConnection) {
        connection.bus = bus
        bus.onClosed { self.finish(.noBus("the bus has closed the connection")) }
        let flow = BusFlow(
            refusals: BusFlow.Refusals(
                tooLarge: BusFault(.messageTooLarge, "").name, tooMany: BusFault(.limitExceeded, "").name)
        ) { name in self.executor.perform { self.assumeIsolated { $0.requestConfirmation(name) } } }
        connection.flow = flow
        registrations.append(bus.limit(by: flow))
        registrations.append(
            bus.subscribe(
                to: "NameOwnerChanged", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
                sender: "org.freedesktop.DBus"
            ) { values in
                let texts = values.compactMap(\.string)
                guard texts.count == 3, texts[0].hasPrefix(":"), texts[2].isEmpty else { return }
                self.connection.flow?.forget(texts[0])
            })
        do {
            registrations.append(
                try bus.export(
                    TransferBusName.conditionsInterface, describedBy: ConditionsObject.xml,
                    at: TransferBusName.conditionsPath, flow: flow
                ) { self.reply(to: $0) })
        } catch {
            return finish(.noBus("\(error)"))
        }
        connection.name = bus.own(TransferBusName.service) { isOurs in
            guard isOurs else { return self.finish(.nameTaken) }
            self.onReady?.resume()
            self.onReady = nil
        }
    }

    private func reply(to call: BusCall) {
        do {
            call.reply(try ManagerCalls.property(call, of: TransferBusName.conditionsInterface, object.properties))
        } catch {
            call.fail(error)
        }
    }

    private func requestConfirmation(_ name: String) {
        connection.ping(name) { _ = self.connection.flow?.confirm(name) }
    }

    private func finish(_ end: BusServer.End) {
        guard self.end == nil else { return }
        self.end = end
        (registrations, connection.name, connection.flow) = ([], nil, nil)
        onReady?.resume(throwing: BusServerError(end: end))
        onReady = nil
        for continuation in waiting { continuation.resume(returning: end) }
        waiting = []
    }
}
