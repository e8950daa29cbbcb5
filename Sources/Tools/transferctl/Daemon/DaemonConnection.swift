// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import GLibBridge
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// A command that communicates with the daemon only.
protocol DaemonCommand: AsyncParsableCommand {
    var daemon: DaemonOptions { get }

    /// Runs the command with a connected client.
    func run(with client: BusClient) async throws
}

/// The options for reaching the daemon.
struct DaemonOptions: ParsableArguments {
    @Option(help: .init("The address of the bus (default: the session bus).", valueName: "address"))
    var bus: String?
}

extension DaemonCommand {
    func run() async throws {
        try await DaemonConnection.with(bus: daemon.bus) { try await run(with: $0) }
    }
}

/// The connection to the daemon, and the exit status for each of its errors.
enum DaemonConnection {
    /// Returns the result of `body`, or `nil` if no daemon is running or `body` fails. Never starts a daemon.
    static func ifRunning<Value: Sendable>(bus: String?, _ body: (BusClient) async throws -> Value) async -> Value? {
        guard let address = bus ?? BusConnection.sessionBusAddress() else { return nil }
        let client = BusClient()
        var value: Value?
        if (try? await client.connect(address: address)) != nil, (try? await client.daemonProcess()) ?? nil != nil {
            value = try? await body(client)
        }
        await client.close()
        return value
    }

    /// Connects, runs `body`, and disconnects.
    ///
    /// - Throws: `ExitCode` after the error has been printed.
    static func with<Value: Sendable>(
        bus: String?, _ body: (BusClient) async throws -> Value
    ) async throws -> Value {
        let client = BusClient()
        do {
            guard let address = bus ?? BusConnection.sessionBusAddress() else {
                throw BusClientError.noBus("neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set")
            }
            try await client.connect(address: address)
            let value = try await body(client)
            await client.close()
            return value
        } catch {
            await client.close()
            switch error {
            case let error as BusClientError:
                Console.error("transferctl: \(error)")
                throw ExitStatus.noDaemon.code
            case let fault as BusFault:
                Console.error("transferctl: \(fault)")
                let isUsageError = [.invalidArgument, .noSuchTransfer, .noSuchApp, .transferEnded].contains(fault.code)
                throw (isUsageError ? ExitStatus.usage : .failed).code
            default: throw error
            }
        }
    }
}

extension BusClient {
    /// Returns the transfers that match the filter. Waiting transfers include their wait reasons.
    ///
    /// - Parameter limit: The number of waiting transfers whose reasons are included. The default is the number of
    ///   transfers that an app may have in a daemon's default configuration.
    func explainedList(_ filter: TransferFilter, limit: Int = 10_000) async throws -> [TransferStatus] {
        var filter = filter
        filter.explainedLimit = limit
        return try await list(filter)
    }
}
