// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A reason why a transfer cannot finish by its deadline, known when the transfer is submitted: no network and no server
/// can be fast enough.
public enum DeadlineFault: Hashable, Sendable {
    /// The deadline has passed.
    case past(WallTime)
    /// The earliest start is not before the deadline.
    case notBefore(WallTime, deadline: WallTime)
    /// No time window opens before the deadline. `opens` is the start of the next window, or `nil` if none follows.
    case window(opens: WallTime?, deadline: WallTime)
    /// The size needs more time at the stated limit on the rate than is left.
    case limit(bytes: Int64, rate: Int64, needed: Duration, available: Duration)

    /// Finds the fault of a transfer's deadline at submission.
    ///
    /// - Parameters:
    ///   - constraints: The requirements of the transfer.
    ///   - bytes: The size in bytes; `nil` if it is unknown.
    ///   - limit: The lowest limit on the rate in bytes per second; `nil` if there is none.
    ///   - now: The current date.
    ///   - localTime: The rules for local time, in which windows are stated.
    /// - Returns: The first fault; `nil` if there is no deadline, or if the transfer can meet it.
    public static func find(
        in constraints: Constraints, bytes: Int64?, limit: Int64?, at now: ClockReading, localTime: LocalTimeRules
    ) -> DeadlineFault? {
        guard let deadline = constraints.deadline?.date else { return nil }
        guard deadline > now.wall else { return .past(deadline) }
        let begin = max(now.wall, constraints.notBefore?.date ?? now.wall)
        guard begin < deadline else { return .notBefore(begin, deadline: deadline) }
        var start = begin
        if let window = constraints.window {
            let then = now.advanced(by: now.wall.duration(to: begin))
            if case .wait(_, let reevaluation) = window.verdict(at: then, localTime: localTime) {
                let opens = reevaluation.map(now.wall(at:))
                guard let opens, opens < deadline else { return .window(opens: opens, deadline: deadline) }
                start = opens
            }
        }
        guard let bytes, let limit, limit > 0 else { return nil }
        let available = start.duration(to: deadline)
        let needed = Duration(clampingSeconds: Double(max(0, bytes)) / Double(limit))
        return needed > available ? .limit(bytes: bytes, rate: limit, needed: needed, available: available) : nil
    }
}
