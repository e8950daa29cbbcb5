// SPDX-License-Identifier: Apache-2.0
import LinuxClock
import ToolSupport
import TransferModel
import TransferPolicy
import TransferScheduling

extension TransferOptions {
    /// Refuses deadlines that certainly cannot be met. With `--force`, prints a warning instead.
    ///
    /// - Parameters:
    ///   - items: The transfers.
    ///   - now: The current time.
    ///   - limitRate: The limit that the command line states besides that on each transfer.
    /// - Throws: `UsageError` with the fault.
    func checkDeadlines(of items: [GetPlan.Item], now: ClockReading, limitRate: String?) throws {
        let localTime = LocalTimeRules(current: now.wall)
        let limits = [limitRate, request.limitRateEach].compactMap { text in
            text.flatMap { try? GetPlan.rate($0, option: "limit-rate") }
        }
        for item in items {
            let traits = item.specification.traits
            let fault = DeadlineFault.find(
                in: traits.constraints, bytes: traits.expectedBytesToReceive ?? traits.expectedBytesToSend,
                limit: limits.min(), at: now, localTime: localTime)
            guard let sentence = fault?.sentence(localTime) else { continue }
            guard timing.conditions.force else { throw UsageError("\(sentence); --force submits it anyway") }
            Console.error("transferctl: \(RedactedURL.text(of: item.specification.url)): \(sentence)")
        }
    }
}

extension DeadlineFault {
    /// Returns a sentence without a final period.
    func sentence(_ localTime: LocalTimeRules) -> String {
        switch self {
        case .past(let deadline): "the deadline \(localTime.dateAndTime(of: deadline)) has passed"
        case .notBefore(let start, let deadline):
            "the deadline \(localTime.dateAndTime(of: deadline)) is not later than the earliest start "
                + localTime.dateAndTime(of: start)
        case .window(let opens, let deadline):
            "no time window opens before the deadline \(localTime.dateAndTime(of: deadline))"
                + (opens.map { "; the next one opens \(localTime.dateAndTime(of: $0))" } ?? "")
        case .limit(let bytes, let rate, let needed, let available):
            "\(Formatting.bytes(bytes)) at \(Formatting.bytes(rate))/s take \(needed.inWords), but the deadline "
                + "leaves \(available.inWords)"
        }
    }
}
