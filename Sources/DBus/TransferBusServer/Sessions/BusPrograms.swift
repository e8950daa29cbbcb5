// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Starts programs over a server's connection to the bus, for their sessions.
///
/// Made before the server, which lends its connection as long as it has one. Shares the server's thread.
package actor BusPrograms {
    let executor = GLibExecutor(name: "transfer-bus")
    /// The programs that run, as far as they were started for sessions.
    package nonisolated let launched = LaunchedPrograms()
    /// The server's connection; nil before it has one and after its end.
    private(set) var bus: BusConnection?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Starts nothing before a server has lent its connection.
    package init() {}

    /// Takes the server's connection, or gives it back. On the thread of both.
    nonisolated func lend(_ bus: BusConnection?) {
        // Used on this one thread only.
        nonisolated(unsafe) let bus = bus
        assumeIsolated { $0.bus = bus }
    }

    /// Asks the bus itself something.
    func ask(_ method: String, _ arguments: [VariantValue] = []) async -> Result<[VariantValue], BusCallError> {
        let service = "org.freedesktop.DBus"
        return await call(
            method, of: service, at: "/org/freedesktop/DBus", service: service, arguments,
            type: arguments.isEmpty ? "()" : "(s)", milliseconds: 10_000)
    }

    /// Calls a method. An error without a name is the bus's end, one with an empty name a call that could not be made.
    func call(
        _ method: String, of interface: String, at path: String, service: String, _ arguments: [VariantValue],
        type: String, milliseconds: Int32, startingIt: Bool = true
    ) async -> Result<[VariantValue], BusCallError> {
        guard let bus else { return .failure(BusCallError(name: nil, message: "the bus has gone")) }
        return await withCheckedContinuation { continuation in
            do {
                try bus.call(
                    method, of: interface, at: path, service: service, arguments, type: type,
                    milliseconds: milliseconds, startingIt: startingIt
                ) { continuation.resume(returning: $0) }
            } catch {
                continuation.resume(returning: .failure(BusCallError(name: "", message: "\(error)")))
            }
        }
    }
}
