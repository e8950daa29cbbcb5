// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ToolSupport
import TransferModel

/// A reference to work that the daemon knows: the ID of a transfer such as `7`, or of a command such as `c1`.
enum WorkReference: ExpressibleByArgument, Hashable, Sendable {
    case transfer(TransferID)
    case command(Int64)

    init?(argument: String) {
        if let number = Int64(argument) {
            self = .transfer(TransferID(number))
        } else if argument.first == "c", let number = Int64(argument.dropFirst()), number > 0 {
            self = .command(number)
        } else {
            return nil
        }
    }

    /// The ID of the transfer.
    ///
    /// - Throws: `UsageError` if the work is a command.
    var transfer: TransferID {
        get throws {
            switch self {
            case .transfer(let id): return id
            case .command(let number):
                throw UsageError(
                    "c\(number) is a command of 'transferctl run'; list, why, now, and hold work with commands. To end the "
                        + "command, end its 'transferctl run'")
            }
        }
    }

    /// The number of the command, or `nil` if the work is a transfer.
    var command: Int64? { if case .command(let number) = self { number } else { nil } }
}
