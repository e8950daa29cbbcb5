// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import GLibBridge
import ToolSupport
import TransferBusClient
import TransferBusProtocol
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
    /// The transfers that fit.
    func list(_ filter: TransferFilter) async throws -> [TransferStatus] {
        try TransferTable.rows(try await call("Table", [.dictionary(filter.fields)], type: "(a{sv})"))
    }

    /// Of more than this many transfers a person does not read why each waits.
    private static let mostExplained = 200

    /// The transfers that fit, each that waits with why, as long as they are few enough to be read.
    func explainedList(_ filter: TransferFilter) async throws -> [TransferStatus] {
        var filter = filter
        filter.mostExplained = Self.mostExplained
        return try await list(filter)
    }

    /// What a method without arguments lists.
    func rows(_ method: String) async throws -> [[String: VariantValue]] {
        (try await call(method).first?.items ?? []).compactMap(\.dictionary)
    }

    /// All properties of the manager.
    func managerProperties() async throws -> [String: VariantValue] {
        let interface = VariantValue.string(TransferBusName.managerInterface)
        return try await call("GetAll", of: TransferBusName.properties, [interface], type: "(s)").first?.dictionary
            ?? [:]
    }

    /// Hands transfers over, some thousands at a time, so that no message grows too large.
    func submit(_ requests: [TransferRequest]) async throws -> [TransferID] {
        var ids: [TransferID] = []
        for start in stride(from: 0, to: requests.count, by: 2000) {
            let batch = requests[start..<min(start + 2000, requests.count)]
            let answer = try await call(
                "Submit", [.list(batch.map { .dictionary($0.fields) })], type: "(aa{sv})")
            ids += (answer.first?.items ?? []).compactMap { $0.integer.map(TransferID.init) }
        }
        return ids
    }
}
