// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
package import TransferModel

/// News from the daemon for a program that runs a command under conditions.
package enum CommandNews: Hashable, Sendable {
    /// A daemon appeared on the bus. It does not know the command yet.
    case daemonStarted
    /// The daemon left the bus.
    case daemonEnded
    /// The user's hold on everything, which is empty if there is none.
    case held(HoldStatus)
    /// The user requests the start of the command.
    case start(CommandStart)
}

/// The daemon's commands: programs that run under conditions.
package struct CommandClient: Sendable {
    private let client: BusClient

    /// Creates a client of the commands over the connection of a client.
    package init(_ client: BusClient) { self.client = client }

    /// Returns the news for the command of this connection, until the client is closed. Never starts a daemon.
    package func news() async throws -> AsyncStream<CommandNews> { try await Self.news(from: client) }

    private static func news(from client: isolated BusClient) throws -> AsyncStream<CommandNews> {
        guard let bus = client.bus else { throw BusClientError.noBus("not connected") }
        let (stream, continuation) = AsyncStream.makeStream(of: CommandNews.self)
        client.registrations.append(
            bus.subscribe(
                to: "PropertiesChanged", of: TransferBusName.properties, at: TransferBusName.managerPath,
                sender: TransferBusName.service
            ) { values in
                guard values.count == 3, let properties = values[1].dictionary,
                    let held = (try? DaemonStatus(properties))?.held
                else { return }
                continuation.yield(.held(held))
            })
        client.registrations.append(
            bus.subscribe(
                to: "CommandStartRequested", of: TransferBusName.managerInterface, at: TransferBusName.managerPath,
                sender: TransferBusName.service
            ) { values in
                continuation.yield(.start(CommandStart(isUnconditional: values.first == .bool(true))))
            })
        client.registrations.append(
            bus.watchName(TransferBusName.service, startsService: false) { owner in
                continuation.yield(owner == nil ? .daemonEnded : .daemonStarted)
            })
        return stream
    }

    /// Registers the command of this connection with a running daemon, or replaces its status.
    ///
    /// - Returns: The number of the command.
    package func register(_ command: CommandStatus) async throws -> Int64 {
        try await client.call(
            "RegisterCommand", of: TransferBusName.managerInterface, [.dictionary(command.fields)], type: "(a{sv})",
            startsService: false
        ).first?.integer ?? 0
    }

    /// Returns the commands that run under conditions.
    package func list() async throws -> [CommandStatus] {
        try (try await client.call("Commands").first?.items ?? []).map { try CommandStatus($0.dictionary ?? [:]) }
    }

    /// Starts a command that waits, without its policy.
    package func start(_ id: Int64, _ request: CommandStart) async throws {
        _ = try await client.call("StartCommand", [.integer(id), .bool(request.isUnconditional)], type: "(xb)")
    }
}
