// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy

/// Sentences about deadlines that cannot be met.
enum DeadlineText {
    /// Returns a sentence for a fault, without a final period.
    static func sentence(of fault: DeadlineFault, localTime: LocalTimeRules) -> String {
        switch fault {
        case .past(let deadline): "the deadline \(localTime.dateAndTime(of: deadline)) has passed"
        case .notBefore(let start, let deadline):
            "the deadline \(localTime.dateAndTime(of: deadline)) is not later than the earliest start "
                + localTime.dateAndTime(of: start)
        case .window(let opens, let deadline):
            "no time window opens before the deadline \(localTime.dateAndTime(of: deadline))"
                + (opens.map { "; the next one opens \(localTime.dateAndTime(of: $0))" } ?? "")
        case .limit(let bytes, let rate, let needed, let available):
            "\(Formatting.bytes(bytes)) at \(Formatting.bytes(rate))/s take \(text(needed)), but the deadline leaves "
                + text(available)
        case .unlikely(let estimate, let available):
            "will probably miss its deadline: \(size(of: estimate)) at \(rate(of: estimate)) take about "
                + "\(text(estimate.need)), and \(text(available)) are left"
        }
    }

    private static func size(of estimate: TransferEstimate) -> String {
        estimate.sizeBasis == .assumed
            ? "an assumed \(Formatting.bytes(estimate.bytes))" : Formatting.bytes(estimate.bytes)
    }

    private static func rate(of estimate: TransferEstimate) -> String {
        let rate = "\(Formatting.bytes(estimate.rate))/s"
        return estimate.rateBasis == .assumed ? "an assumed \(rate)" : rate
    }

    /// Returns a duration in the largest unit that keeps two digits: `45 s`, `12 min`, `6 h`.
    private static func text(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        if seconds < 120 { return "\(seconds) s" }
        return seconds < 7200 ? "\((seconds + 30) / 60) min" : "\((seconds / 60 + 30) / 60) h"
    }
}
