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
            connection.start(address: address, continuation) { bus, flow in
                [
                    try bus.export(
                        TransferBusName.conditionsInterface, describedBy: ConditionsObject.xml,
                        at: TransferBusName.conditionsPath, flow: flow
                    ) { self.reply(to: $0) }
                ]
            } confirm: { name in
                self.executor.perform { self.assumeIsolated { $0.requestConfirmation(name) } }
            } onOwner: { name, _, owner in
                if name.hasPrefix(":"), owner.isEmpty { self.connection.flow?.forget(name) }
            }
        }
    }

    /// Publishes a report.
    package func publish(_ report: DiscretionaryReport) { object.publish(report) }

    /// Waits until the server is stopped, or the bus or the name is lost.
    package func ended() async -> BusServer.End {
        await withCheckedContinuation { connection.whenEnded($0) }
    }

    /// Closes the connection.
    package func stop() { connection.close() }

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
}
