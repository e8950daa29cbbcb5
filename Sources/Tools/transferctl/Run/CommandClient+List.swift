// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferModel

extension CommandStatus {
    /// The command as an element of a list in JSON.
    var listed: [String: Any] {
        let all = [
            "id": reference, "name": name, "state": state.rawValue,
            "deadline": deadline.map { BusDate($0).description },
            "sentence": explanation.reasons.isEmpty ? nil : explanation.sentence,
        ]
        return all.compactMapValues(\.self)
    }
}

extension CommandClient {
    /// Returns the commands that run under conditions; none if the daemon does not recognize this program as the user's.
    func listIfAllowed() async throws -> [CommandStatus] {
        do { return try await list() } catch let fault as BusFault where fault.code == .accessDenied { return [] }
    }

    /// Returns the command with a number.
    ///
    /// - Throws: `UsageError` if there is no such command.
    func command(_ number: Int64) async throws -> CommandStatus {
        guard let command = try await list().first(where: { $0.id == number }) else {
            throw UsageError("no command c\(number); 'transferctl list' shows all commands")
        }
        return command
    }

    /// Starts a command, and prints whether it starts, or why it still waits.
    func start(_ number: Int64, isUnconditional: Bool) async throws {
        try await start(number, CommandStart(isUnconditional: isUnconditional))
        // The program that runs the command decides, and reports the result.
        for _ in 0..<20 {
            guard let command = try await list().first(where: { $0.id == number }), command.state != .running else {
                return Console.error("Started c\(number).")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        let hint = isUnconditional ? "" : "; 'transferctl now c\(number) --anyway' starts it in spite of its conditions"
        Console.error("c\(number) still waits: \(try await command(number).explanation.sentence)\(hint)".printable)
    }
}
