// SPDX-License-Identifier: Apache-2.0
public import TransferModel
internal import TransferPolicy
public import TransferScheduling

/// The periods of a job's wait, with the reasons that the scheduler gives.
///
/// ```swift
/// if let id = replay.transferID(ofJob: 7) {
///     var history = JobHistory(of: id, on: trace)
///     let outcome = replay.run { history.record($0, at: $1) }
///     history.close(at: outcome.jobs.first { $0.id == 7 }?.finished ?? trace.end)
/// }
/// ```
public struct JobHistory: Sendable {
    /// A period in which a job's state did not change.
    public struct Span: Hashable, Sendable {
        /// The start of the period.
        public var start: WallTime
        /// The end of the period.
        public var end: WallTime
        /// The reasons why the job waits, in words. `running` if the job runs, and `not recorded` if the conditions
        /// are unknown.
        public var state: String
        /// The codes of the reasons. A period ends when they change; the words describe its start.
        fileprivate var codes: [String]
    }

    /// The periods in chronological order.
    public private(set) var spans: [Span] = []
    private let id: TransferID
    private let trace: Trace
    /// Whether the last period is still growing.
    private var isOpen = false

    /// Creates an empty history of a transfer on a device's recorded days.
    public init(of id: TransferID, on trace: Trace) {
        self.id = id
        self.trace = trace
    }

    /// Records the job's state at a moment, and extends the previous state up to that moment.
    public mutating func record(_ scheduler: borrowing Scheduler, at now: ClockReading) {
        close(at: now.wall)
        isOpen = false
        guard let state = state(scheduler, at: now) else { return }
        isOpen = true
        if let last = spans.last, last.codes == state.codes, last.end == now.wall { return }
        spans.append(Span(start: now.wall, end: now.wall, state: state.words, codes: state.codes))
    }

    /// Ends the current period, because the job or the trace has ended.
    public mutating func close(at end: WallTime) {
        guard isOpen, !spans.isEmpty else { return }
        spans[spans.count - 1].end = end
    }

    private func state(
        _ scheduler: borrowing Scheduler, at now: ClockReading
    ) -> (words: String, codes: [String])? {
        if scheduler.occupiesSlot(id) { return ("running", ["running"]) }
        guard let explanation = scheduler.explanation(of: id, at: now) else { return nil }
        // Unrecorded times are replayed as sleep, but sleep is not what was recorded.
        guard trace.segment(at: now.wall)?.isKnown == true else {
            return ("not recorded", ["not recorded"])
        }
        let reasons = explanation.reasons.map(\.reason)
        // The lab's local time is UTC.
        return (reasons.map { $0.phrase(localTime: .utc) }.joined(separator: "; "), reasons.map(\.code))
    }
}
