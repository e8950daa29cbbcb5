// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The command-line options of the stress test.
struct SoakOptions: Sendable {
    var rounds = 100
    var seed = UInt64.random(in: .min ... .max)
    /// The path of the daemon, or `nil` for the daemon next to this program.
    var daemon: String?
    /// A Boolean value that indicates whether each round ends with a power loss, which may lose
    /// or tear unsynced changes.
    var losesPower = false
    /// The number of transfers that wait from the beginning.
    var waiting = 100
    /// A Boolean value that indicates whether the folder with the queue, the files, and the log is kept.
    var keepsFolder = false

    static let help = """
        DaemonSoak [--rounds N] [--seed N] [--power-loss] [--waiting N] [--daemon PATH] [--keep]
        Kills transferd with SIGKILL at random moments while it is given work by a bus of its own, and starts it again.
        Ends with 1 where an acknowledged transfer is lost, one is finished twice or a file is wrong, here or at the
        server. An upload may come there whole more often than once: how many did so is printed.
        --power-loss  in each round, what was not synced is lost in part, torn or out of order
        --keep        leaves the folder with queue, files and the daemon's log
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            func number<Value: FixedWidthInteger>() throws -> Value {
                guard let number = rest.popFirst().flatMap({ Value($0) }), number >= 0 else {
                    throw SoakUsage(text: "\(option) needs a number")
                }
                return number
            }
            switch option {
            case "--rounds": rounds = try number()
            case "--seed": seed = try number()
            case "--waiting": waiting = try number()
            case "--power-loss": losesPower = true
            case "--keep": keepsFolder = true
            case "--daemon":
                guard let path = rest.popFirst() else { throw SoakUsage(text: "--daemon needs a path") }
                daemon = path
            default: throw SoakUsage(text: Self.help)
            }
        }
    }
}

/// An error for an invalid command line.
struct SoakUsage: Error {
    var text: String
}
