// SPDX-License-Identifier: Apache-2.0
import LinuxClock
import ToolSupport
import TransferModel
import TransferPolicy
import TransferScheduling

extension TransferOptions {
    /// Refuses deadlines that certainly cannot be met, unless `--force` is set.
    ///
    /// - Parameters:
    ///   - items: The transfers.
    ///   - now: The current time.
    ///   - limitRate: The limit that the command line states besides that on each transfer.
    /// - Returns: The warnings about the deadlines that `--force` accepts.
    /// - Throws: `UsageError` with the fault.
    @discardableResult
    func checkDeadlines(of items: [GetPlan.Item], now: ClockReading, limitRate: String?) throws -> [String] {
        let localTime = LocalTimeRules(current: now.wall)
        let limits = [limitRate, request.limitRateEach].compactMap { text in
            text.flatMap { try? GetPlan.rate($0, option: "limit-rate") }
        }
        return try items.compactMap { item in
            let traits = item.specification.traits
            let fault = DeadlineFault.find(
                in: traits.constraints, bytes: traits.expectedBytesToReceive ?? traits.expectedBytesToSend,
                limit: limits.min(), at: now, localTime: localTime)
            guard let sentence = fault?.sentence(localTime) else { return nil }
            guard timing.conditions.force else { throw UsageError("\(sentence); --force submits it anyway") }
            return "transferctl: \(RedactedURL.text(of: item.specification.url)): \(sentence)"
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
