// SPDX-License-Identifier: Apache-2.0
public import TransferModel
internal import TransferPolicy
public import TransferScheduling

/// What held one job, span by span, in the scheduler's own words.
public struct JobStory: Sendable {
    /// A time in which nothing changed for it.
    public struct Span: Hashable, Sendable {
        /// From when.
        public var start: WallTime
        /// Until when.
        public var end: WallTime
        /// The codes of its reasons to wait; `running` where it ran, `not recorded` where nobody knows the conditions.
        public var state: String
    }

    /// In order.
    public private(set) var spans: [Span] = []
    private let id: TransferID
    private let trace: Trace
    /// Whether the last span still grows.
    private var isOpen = false

    /// The story of a transfer on a device's days.
    public init(of id: TransferID, on trace: Trace) {
        self.id = id
        self.trace = trace
    }

    /// Notes how it stands at a moment, and has stood as noted before until then.
    public mutating func note(_ scheduler: borrowing Scheduler, at now: Moment) {
        close(at: now.wall)
        isOpen = false
        guard let state = state(scheduler, at: now) else { return }
        isOpen = true
        if let last = spans.last, last.state == state, last.end == now.wall { return }
        spans.append(Span(start: now.wall, end: now.wall, state: state))
    }

    /// Notes that it is over, or the trace is.
    public mutating func close(at end: WallTime) {
        guard isOpen, !spans.isEmpty else { return }
        spans[spans.count - 1].end = end
    }

    private func state(_ scheduler: borrowing Scheduler, at now: Moment) -> String? {
        if scheduler.holdsSlot(id) { return "running" }
        guard let explanation = scheduler.explanation(of: id, at: now) else { return nil }
        // What nobody recorded is played as sleep; that is not what was known of it.
        guard trace.segment(at: now.wall)?.isKnown == true else { return "not recorded" }
        return explanation.holds.map(\.reason.code).joined(separator: ", ")
    }
}
