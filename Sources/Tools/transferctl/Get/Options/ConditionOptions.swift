// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import TransferPolicy

/// The options for the time and conditions of work, which transfers and commands share.
struct ConditionOptions: ParsableArguments {
    @Flag(help: "Wait for the default policy: AC power and an unmetered network.")
    var discretionary = false

    @Option(
        help: .init(
            "Wait for another policy: NAME[:key=value]… Implies --discretionary. 'transferctl config policies' lists the policies.",
            valueName: "policy"), completion: .list(PolicyCatalog.entries.map(\.name)))
    var policy: String?

    @Option(
        help: .init(
            "Conditions, separated by commas: ac, battery>N, price<N, unmetered, wifi, ethernet, cellular, bluetooth, "
                + "usb-tether, or NAME=VALUE of your own. Kinds of network are combined with 'or', all others with 'and'.",
            valueName: "conditions"), completion: WhenExpression.completion)
    var when: String?

    @Option(
        help: .init(
            "The earliest start: +2h, 18:00, \"tomorrow 18:00\", \"Thu 18:00\", \"2026-12-24 18:00\", or RFC 3339.",
            valueName: "time"))
    var notBefore: String?

    @Option(
        help: .init(
            "The deadline, in the forms of --not-before. The transfer starts early enough to end by then, even on "
                + "battery.",
            valueName: "time"))
    var by: String?

    @Flag(help: .init("Accept a deadline that certainly cannot be met.", visibility: .hidden))
    var force = false

    @Option(
        help: .init(
            "Run only in this time window of the local week: \"Mon-Fri 01:00-06:00\". Separate several windows with ';'.",
            valueName: "window"
        ))
    var window: String?

    @Option(help: .init("With the value allow: use metered networks even if the policy does not.", valueName: "allow"))
    var metered: MeteredChoice?

    @Option(
        help: .init(
            "How much worse is late than battery, for the default policy: relaxed, balanced, or prompt. Implies "
                + "--discretionary.", valueName: "patience", visibility: .hidden))
    var patience: String?

    /// The values of `--metered`.
    enum MeteredChoice: String, ExpressibleByArgument, CaseIterable {
        case allow
    }
}

/// The options for the time and conditions of a transfer.
struct TimingOptions: ParsableArguments {
    @OptionGroup var conditions: ConditionOptions

    @Option(
        help: .init(
            "The priority: low, normal, high, or 0 to 1000.", valueName: "priority"),
        completion: .list(["low", "normal", "high"]))
    var priority: String?

    @Option(
        help: .init(
            "The expected size in bytes (500, 64K, 1.5M, 2G), if the server does not report it.", valueName: "bytes"))
    var expectBytes: String?
}
