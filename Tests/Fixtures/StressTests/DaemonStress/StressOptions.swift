// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The command-line options of the stress test.
struct StressOptions: Sendable {
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
        DaemonStress [--rounds N] [--seed N] [--power-loss] [--waiting N] [--daemon PATH] [--keep]
        Gives transferd work on a private bus, kills it with SIGKILL at random times, and restarts it. Exits with 1 if
        an acknowledged transfer is lost, a transfer finishes twice, or a file is wrong, on this machine or at the
        server. The server may receive an upload more than once; the number of such uploads is printed.
        --power-loss  in each round, lose, tear, or reorder some of the unsynced changes
        --keep        keep the folder with the queue, the files, and the daemon's log
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            func number<Value: FixedWidthInteger>() throws -> Value {
                guard let number = rest.popFirst().flatMap({ Value($0) }), number >= 0 else {
                    throw StressUsageError(text: "\(option) needs a number")
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
                guard let path = rest.popFirst() else { throw StressUsageError(text: "--daemon needs a path") }
                daemon = path
            default: throw StressUsageError(text: Self.help)
            }
        }
    }
}

/// An error for an invalid command line.
struct StressUsageError: Error {
    var text: String
}
