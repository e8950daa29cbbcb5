// SPDX-License-Identifier: Apache-2.0

/// The command-line options of the property tests.
struct StressOptions: Sendable {
    static let usage = """
        usage: SchedulerStress [--steps N] [--compared N] [--seed N] [--policy NAME] [--jobs N]
                             [--digest] [--fixed N] [--replay FILE]

          --steps N      the number of events to check against the rules (default: 10000000)
          --compared N   the number of events to also compare with the reference scheduler (default: 300000)
          --seed N       the first seed, to repeat a run
          --policy NAME  the only policy to use: NAME[:key=value]…
          --jobs N       the number of parallel runs (default: 2)
          --digest       run 30000 events twice from one seed and print a hash of the effects, equal in every build
          --fixed N      run the same events in every run, with N transfers, to count instructions (.ci/counts)
          --replay FILE  replay a printed log
        """

    var steps = 10_000_000
    var compared = 300_000
    var seed = UInt64.random(in: 0..<1 << 48)
    var policy: String?
    var jobs = 2
    var isDigest = false
    var fixed: Int?
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
                case "--fixed": fixed = max(1, Int(number))
                case "--jobs": jobs = max(1, Int(number))
                default: return nil
                }
            }
        }
    }
}
