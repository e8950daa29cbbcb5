// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// The command-line options of the stress test.
struct SoakOptions: Sendable {
    var seconds = 60
    var kills = 0
    var lanes = 8
    var workers = 1
    var seed = UInt64.random(in: .min ... .max)
    var usesRepair = true
    var isInProcess = false

    static let help = """
        TransferSoak [--seconds N] [--kills N] [--lanes N] [--workers N] [--seed N] [--no-repair] [--in-process]
        Downloads from a server that does something wrong in every second answer, while workers are killed and
        transfers are paused. Ends with 1 where a file is wrong, a transfer does not end or memory grows.
        --kills N ends after so many kills, which then come several a second.
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            func value() throws -> Int {
                guard let number = rest.popFirst().flatMap({ Int($0) }), number >= 0 else {
                    throw SoakUsage(text: "\(option) needs a number")
                }
                return number
            }
            switch option {
            case "--seconds": seconds = try value()
            case "--kills": kills = try value()
            case "--lanes": lanes = max(1, try value())
            case "--workers": workers = max(1, try value())
            case "--seed":
                guard let number = rest.popFirst().flatMap({ UInt64($0) }) else {
                    throw SoakUsage(text: "--seed needs a number")
                }
                seed = number
            case "--no-repair": usesRepair = false
            case "--in-process": isInProcess = true
            default: throw SoakUsage(text: Self.help)
            }
        }
    }
}

/// An error for an invalid command line.
struct SoakUsage: Error {
    var text: String
}

signal(SIGPIPE, SIG_IGN)
Allocator.keepNothingBack()
do {
    let options = try SoakOptions(Array(CommandLine.arguments.dropFirst()))
    print("seed \(options.seed)")
    // Printed at once, so that the seed is known even if this process crashes.
    fflush(nil)
    let soak = try Soak(options: options)
    let faults = await soak.run()
    print(soak.tally.summary)
    for fault in faults { print("WRONG: \(fault)") }
    exit(faults.isEmpty ? 0 : 1)
} catch let usage as SoakUsage {
    print(usage.text)
    exit(2)
}
