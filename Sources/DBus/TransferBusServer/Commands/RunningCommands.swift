// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
internal import TransferModel

/// The commands of `transferctl run`, which the server lists and to which it passes requests of the user.
///
/// The programs that run the commands decide by themselves and need no daemon. Used only on the server's thread.
final class RunningCommands {
    private let connection: ServerConnection
    private var registry = CommandRegistry()

    /// Creates an empty list.
    init(over connection: ServerConnection) { self.connection = connection }

    /// The methods of the manager that concern commands.
    static let methods: Set = ["RegisterCommand", "Commands", "StartCommand"]

    /// Returns the values of the reply to a call of one of the methods.
    ///
    /// - Throws: `BusFault` if the caller is not the user, or an argument is invalid.
    func reply(_ call: BusCall, from caller: BusCaller) throws -> [VariantValue] {
        guard caller.isPerson else {
            throw BusFault(
                .accessDenied,
                "only the user can register, list, and start commands, with the transferctl that is installed beside the "
                    + "daemon, in a folder that others cannot write to")
        }
        let arguments = call.arguments
        switch call.method {
        case "RegisterCommand":
            let status = try CommandStatus(arguments.first?.dictionary ?? [:])
            return [.integer(try registry.set(status, of: caller.name))]
        case "Commands": return [.list(registry.all.map { .dictionary($0.fields) })]
        default:
            let id = arguments.first?.integer ?? 0
            guard let receiver = registry.connection(of: id) else {
                throw BusFault(.noSuchTransfer, "no command c\(id); 'transferctl list' shows all commands")
            }
            try connection.bus?.emit(
                "CommandStartRequested", of: TransferBusName.managerInterface, at: TransferBusName.managerPath,
                to: receiver, [arguments.last ?? .bool(false)], type: "(b)")
            return []
        }
    }

    /// Reports the user's hold to the programs that run commands. A program that does not read its messages asks for the
    /// hold when it continues.
    func report(_ hold: Fact<MachineHold?>) {
        var changed = DaemonStatus()
        changed.held = HoldStatus(hold, includingReason: true)
        for receiver in registry.connections where !connection.isStalled(receiver) {
            connection.emitChanged(changed.fields, to: receiver)
        }
    }

    /// Removes the command of a connection that has closed.
    func forget(_ name: String) { registry.remove(name) }
}
