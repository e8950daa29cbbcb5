// SPDX-License-Identifier: Apache-2.0
internal import TransferBusProtocol
internal import TransferModel

/// A registry of the commands that programs run under conditions, by the connections of those programs.
///
/// A connection registers one command. The command disappears with the connection.
struct CommandRegistry {
    private var commands: [String: CommandStatus] = [:]
    private var last: Int64 = 0

    /// All commands, in the order of their numbers.
    var all: [CommandStatus] { commands.values.sorted { $0.id < $1.id } }

    /// The connections that have registered a command, in no particular order.
    var connections: some Collection<String> { commands.keys }

    /// Adds the command of a connection, or replaces its status.
    ///
    /// - Returns: The number of the command.
    /// - Throws: `BusFault` if there are too many commands.
    mutating func set(_ status: CommandStatus, of connection: String) throws(BusFault) -> Int64 {
        let known = commands[connection]?.id
        guard known != nil || commands.count < CallerLimits.commands else {
            throw BusFault(
                .limitExceeded,
                "\(commands.count) commands run under conditions, which is the maximum; end some of them")
        }
        last += known == nil ? 1 : 0
        var status = status
        status.id = known ?? last
        commands[connection] = status
        return status.id
    }

    /// Removes the command of a connection.
    mutating func remove(_ connection: String) { commands[connection] = nil }

    /// Returns the connection that has registered a command, or `nil` if there is no such command.
    func connection(of id: Int64) -> String? { commands.first { $0.value.id == id }?.key }
}
