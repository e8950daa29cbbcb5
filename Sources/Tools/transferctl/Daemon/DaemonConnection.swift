// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import GLibBridge
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// A command that talks to the daemon, and starts nothing else.
protocol DaemonCommand: AsyncParsableCommand {
    var daemon: DaemonOptions { get }

    /// Does it.
    func run(with client: BusClient) async throws
}

/// How the daemon is reached.
struct DaemonOptions: ParsableArguments {
    @Option(help: .init("The bus's address (default: the session's).", valueName: "address"))
    var bus: String?
}

extension DaemonCommand {
    func run() async throws {
        try await DaemonConnection.with(bus: daemon.bus) { try await run(with: $0) }
    }
}

/// The way to the daemon, and what its errors mean for the program's end.
enum DaemonConnection {
    /// Connects, does something, and lets go.
    ///
    /// - Throws: `ExitCode` once the error has been told.
    static func with<Value: Sendable>(
        bus: String?, _ body: (BusClient) async throws -> Value
    ) async throws -> Value {
        let client = BusClient()
        do {
            guard let address = bus ?? BusConnection.sessionBusAddress() else {
                throw BusClientError.noBus("neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR names one")
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
                let isUsage = [.invalidArgument, .noSuchTransfer, .noSuchApp, .transferEnded].contains(fault.code)
                throw (isUsage ? ExitStatus.usage : .failed).code
            default: throw error
            }
        }
    }
}

extension BusClient {
    /// Of more than this many transfers a person does not read why each waits.
    private static let mostExplained = 200

    /// The transfers that fit, each that waits with why, as long as they are few enough to be read.
    func explainedList(_ filter: TransferFilter) async throws -> [TransferStatus] {
        var filter = filter
        filter.mostExplained = Self.mostExplained
        return try await list(filter)
    }
}
