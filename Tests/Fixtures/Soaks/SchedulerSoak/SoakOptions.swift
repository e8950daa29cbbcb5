// SPDX-License-Identifier: Apache-2.0

/// The command-line options of the property tests.
struct SoakOptions: Sendable {
    static let usage = """
        usage: SchedulerSoak [--steps N] [--compared N] [--seed N] [--policy NAME] [--jobs N]
                             [--digest] [--replay FILE]

          --steps N      events that are held to the rules; 10000000 where nothing is said
          --compared N   events whose effects are compared with those of a plain scheduler's as well; 300000
          --seed N       where the random runs begin, to have the same ones again
          --policy NAME  the only policy, written NAME[:key=value]…
          --jobs N       how many run at the same time; 2
          --digest       100000 events from one seed, twice: prints the effects as one number, the same on every build
          --replay FILE  lets a printed log happen again
        """

    var steps = 10_000_000
    var compared = 300_000
    var seed = UInt64.random(in: 0..<1 << 48)
    var policy: String?
    var jobs = 2
    var isDigest = false
    var replayed: String?

    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word == "--digest" {
                isDigest = true
                continue
            }
            guard let value = rest.popFirst() else { return nil }
            switch word {
            case "--policy": policy = value
            case "--replay": replayed = value
            default:
                guard let number = UInt64(value), number < 1 << 62 else { return nil }
                switch word {
                case "--steps": steps = Int(number)
                case "--compared": compared = Int(number)
                case "--seed": seed = number
                case "--jobs": jobs = max(1, Int(number))
                default: return nil
                }
            }
        }
    }
}
