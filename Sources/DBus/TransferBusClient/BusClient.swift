// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
import Synchronization
internal import TransferBusProtocol
package import TransferEngine
internal import TransferModel

/// A client of the daemon on the bus. The bus starts the daemon if it is not running.
package actor BusClient: WatchedTransferManager {
    private let executor = GLibExecutor(name: "transfer-client")
    /// The connection; `nil` before ``connect(address:)`` and after ``close()``.
    private(set) var bus: BusConnection?
    var registrations: [BusRegistration] = []
    /// The task that closes the client. `nil` until the client is closed.
    private let ending = Mutex<Task<Void, Never>?>(nil)

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates a client. Call `connect(address:)` before any other method.
    package init() {}

    /// Connects to the bus at `address`.
    ///
    /// - Throws: `BusClientError.noBus` if the bus cannot be reached.
    package func connect(address: String) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            BusConnection.open(address: address, cancellation: Cancellation()) { result in
                // Created on this actor's own thread, for this actor alone.
                nonisolated(unsafe) let result = result
                self.assumeIsolated { client in
                    switch result {
                    case .success(let bus):
                        client.bus = bus
                        continuation.resume()
                    case .failure(let error): continuation.resume(throwing: BusClientError.noBus(error.message))
                    }
                }
            }
        }
    }

    /// Acquires a well-known name, by which the daemon identifies the app.
    ///
    /// - Throws: `BusClientError.failed` if another program owns the name.
    package func own(_ name: String) async throws {
        guard let bus else { throw BusClientError.noBus("not connected") }
        let isOurs = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            var waiting: CheckedContinuation<Bool, Never>? = continuation
            registrations.append(
                bus.own(name) { isOurs in
                    waiting?.resume(returning: isOurs)
                    waiting = nil
                })
        }
        guard isOurs else { throw BusClientError.failed("another program owns the bus name \(name)") }
    }

    /// Calls a method of the manager object.
    ///
    /// - Throws: `BusFault` if the daemon refuses, or `BusClientError` if the daemon cannot be reached.
    package func call(_ method: String, _ arguments: [VariantValue] = [], type: String = "()") async throws
        -> [VariantValue]
    {
        try await call(method, of: TransferBusName.managerInterface, arguments, type: type)
    }

    /// Returns the daemon's process ID, or `nil` if the daemon is not running. Does not start the daemon.
    package func daemonProcess() async throws -> Int64? {
        guard let bus else { throw BusClientError.noBus("not connected") }
        return try await withCheckedThrowingContinuation { continuation in
            do {
                try bus.call(
                    "GetConnectionUnixProcessID", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
                    service: "org.freedesktop.DBus", [.string(TransferBusName.service)], type: "(s)",
                    milliseconds: 10_000
                ) { result in
                    continuation.resume(returning: (try? result.get())?.first?.integer)
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Returns whether the bus can start the daemon, because it has read the daemon's service file.
    package func isActivatable() async throws -> Bool {
        guard let bus else { throw BusClientError.noBus("not connected") }
        let names: [VariantValue] = try await withCheckedThrowingContinuation { continuation in
            do {
                try bus.call(
                    "ListActivatableNames", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
                    service: "org.freedesktop.DBus", [], type: "()", milliseconds: 10_000
                ) { result in
                    continuation.resume(with: result.mapError { $0 as any Error })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        return names.first?.items.contains(.string(TransferBusName.service)) ?? false
    }

    /// Calls a method of an interface. The default object is the manager.
    package func call(
        _ method: String, of interface: String, _ arguments: [VariantValue], type: String,
        at path: String = TransferBusName.managerPath, descriptors: [Int32] = [], startsService: Bool = true
    ) async throws -> [VariantValue] {
        guard let bus else { throw BusClientError.noBus("not connected") }
        return try await withCheckedThrowingContinuation { continuation in
            do {
                // Five minutes is longer than saving a large batch takes on a slow disk. A hanging call fails
                // eventually.
                try bus.call(
                    method, of: interface, at: path, service: TransferBusName.service, arguments, type: type,
                    milliseconds: 300_000, descriptors: descriptors, startsService: startsService
                ) { result in
                    continuation.resume(with: result.mapError { Self.error($0) })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    private static func error(_ error: BusCallError) -> any Error {
        if let fault = BusFault(name: error.name, message: error.message) { return fault }
        switch error.name {
        case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
            return BusClientError.noDaemon
        case let name? where name.hasPrefix("org.freedesktop.DBus.Error.Spawn"):
            return BusClientError.cannotStart(error.message)
        case let name? where name.hasPrefix("org.freedesktop.DBus.Error.Unknown"):
            return BusClientError.unknown(error.message)
        default: return BusClientError.failed(error.message)
        }
    }

    /// Returns the later changes of the service. The stream ends when the daemon ends.
    package func updates() async throws -> AsyncStream<ServiceUpdate> {
        guard let bus else { throw BusClientError.noBus("not connected") }
        let (stream, continuation) = AsyncStream.makeStream(of: ServiceUpdate.self)
        registrations.append(
            bus.subscribe(
                to: "Changed", of: TransferBusName.managerInterface, at: TransferBusName.managerPath,
                sender: TransferBusName.service
            ) { values in
                guard let fields = values.first?.dictionary, let status = try? TransferStatus(fields) else { return }
                continuation.yield(.changed(status, nil))
            })
        registrations.append(
            bus.subscribe(
                to: "PropertiesChanged", of: TransferBusName.properties, at: TransferBusName.managerPath,
                sender: TransferBusName.service
            ) { values in
                guard values.count == 3, let fields = values[1].dictionary, let changed = try? DaemonStatus(fields)
                else { return }
                continuation.yield(.status(changed))
            })
        var wasRunning = false
        registrations.append(
            bus.watchName(TransferBusName.service, startsService: false) { owner in
                if owner == nil, wasRunning { continuation.finish() }
                wasRunning = owner != nil
            })
        _ = try await call("Watch")
        return stream
    }

    /// Closes the connection to the bus. The client must not be used afterwards.
    package nonisolated func close() async {
        // A second caller waits for the first, because a stopped thread never resumes it.
        let ending = ending.withLock { ending in
            if let ending { return ending }
            let new = Task {
                await tearDown()
                await executor.stop()
            }
            ending = new
            return new
        }
        await ending.value
    }

    private func tearDown() {
        registrations = []
        bus?.close()
        bus = nil
    }
}

/// The reasons that the daemon cannot be reached.
package enum BusClientError: Error, Hashable, CustomStringConvertible {
    /// There is no bus.
    case noBus(String)
    /// The daemon is not running, and the bus does not know how to start it.
    case noDaemon
    /// The bus could not start the daemon.
    case cannotStart(String)
    /// The daemon has no such object, interface or method.
    case unknown(String)
    /// The call failed, for example because the daemon did not reply.
    case failed(String)

    package var description: String {
        switch self {
        case .noBus(let why):
            "cannot reach the session bus: \(why); 'transferctl get' needs neither bus nor daemon"
        case .noDaemon:
            "the daemon is not running, and the bus cannot start it; run 'transferctl service install' or transferd"
        case .cannotStart(let why):
            "the bus could not start the daemon: \(why); see 'journalctl --user -u transferd', or run transferd yourself"
        case .unknown(let why): "the daemon does not support this call: \(why)"
        case .failed(let why): "the call to the daemon failed: \(why)"
        }
    }
}
