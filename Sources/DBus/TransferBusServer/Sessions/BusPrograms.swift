// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A launcher that starts apps for their sessions over the server's connection to the bus.
///
/// The launcher is created before the server and shares the server's thread. The server lends its connection while
/// connected.
package actor BusPrograms {
    let executor = GLibExecutor(name: "transfer-bus")
    /// The programs that were started for sessions and still run.
    package nonisolated let launched = LaunchedPrograms()
    /// The server's connection; `nil` before the server connects and after its end.
    private(set) var bus: BusConnection?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates a launcher that starts nothing before a server lends its connection.
    package init() {}

    /// Sets the borrowed connection; `nil` withdraws it. Call this method on the shared thread.
    nonisolated func lend(_ bus: BusConnection?) {
        // The connection is used only on the shared thread.
        nonisolated(unsafe) let bus = bus
        assumeIsolated { $0.bus = bus }
    }

    /// Calls a method of the bus itself. Times out after 10 s.
    func ask(_ method: String, _ arguments: [VariantValue] = []) async -> Result<[VariantValue], BusCallError> {
        let service = "org.freedesktop.DBus"
        return await call(
            method, of: service, at: "/org/freedesktop/DBus", service: service, arguments,
            type: arguments.isEmpty ? "()" : "(s)", milliseconds: 10_000)
    }

    /// Calls a method. The error has no name if the failure is local, such as a lost connection. The error has an
    /// empty name if the call could not be made.
    func call(
        _ method: String, of interface: String, at path: String, service: String, _ arguments: [VariantValue],
        type: String, milliseconds: Int32, startsService: Bool = true
    ) async -> Result<[VariantValue], BusCallError> {
        guard let bus else { return .failure(BusCallError(name: nil, message: "the bus connection is closed")) }
        return await withCheckedContinuation { continuation in
            do {
                try bus.call(
                    method, of: interface, at: path, service: service, arguments, type: type,
                    milliseconds: milliseconds, startsService: startsService
                ) { continuation.resume(returning: $0) }
            } catch {
                continuation.resume(returning: .failure(BusCallError(name: "", message: "\(error)")))
            }
        }
    }
}
