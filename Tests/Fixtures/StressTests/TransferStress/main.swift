// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// The command-line options of the stress test.
struct StressOptions: Sendable {
    var seconds = 60
    var kills = 0
    var parallel = 8
    var workers = 1
    var seed = UInt64.random(in: .min ... .max)
    var isInProcess = false

    static let help = """
        TransferStress [--seconds N] [--kills N] [--parallel N] [--workers N] [--seed N] [--in-process]
        Downloads from a server that sends a faulty response to about half of the requests, while workers are killed
        and transfers are paused. Exits with 1 if a file is wrong, a transfer does not finish, or memory grows.
        --kills N  stop after N kills, several per second
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            func value() throws -> Int {
                guard let number = rest.popFirst().flatMap({ Int($0) }), number >= 0 else {
                    throw StressUsageError(text: "\(option) needs a number")
                }
                return number
            }
            switch option {
            case "--seconds": seconds = try value()
            case "--kills": kills = try value()
            case "--parallel": parallel = max(1, try value())
            case "--workers": workers = max(1, try value())
            case "--seed":
                guard let number = rest.popFirst().flatMap({ UInt64($0) }) else {
                    throw StressUsageError(text: "--seed needs a number")
                }
                seed = number
            case "--in-process": isInProcess = true
            default: throw StressUsageError(text: Self.help)
            }
        }
    }
}

/// An error for an invalid command line.
struct StressUsageError: Error {
    var text: String
}

signal(SIGPIPE, SIG_IGN)
Allocator.keepNothingBack()
do {
    let options = try StressOptions(Array(CommandLine.arguments.dropFirst()))
    print("seed \(options.seed)")
    // Printed immediately, so that the seed is known even if this process crashes.
    fflush(nil)
    let stressTest = try StressTest(options: options)
    let faults = await stressTest.run()
    print(stressTest.tally.summary)
    for fault in faults { print("WRONG: \(fault)") }
    exit(faults.isEmpty ? 0 : 1)
} catch let usage as StressUsageError {
    print(usage.text)
    exit(2)
}
