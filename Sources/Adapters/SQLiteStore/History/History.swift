// SPDX-License-Identifier: Apache-2.0
public import TransferEngine
public import TransferModel

/// A page of recorded history: transfers, and the conditions of the machine.
public struct History: Hashable, Sendable {
    /// The transfers with recorded moments, in the order of their numbers.
    public var transfers: [RecordedTransfer]
    /// The conditions of the machine, oldest first. Spans do not overlap; there are gaps for times without a record.
    public var conditions: [ConditionSpan]
    /// The position of the next page; nil on the last page.
    public var next: Place?

    /// Creates a page of history.
    public init(transfers: [RecordedTransfer] = [], conditions: [ConditionSpan] = [], next: Place? = nil) {
        self.transfers = transfers
        self.conditions = conditions
        self.next = next
    }

    /// The position at which a page begins. Transfers come first, by number, then conditions in the order of their
    /// recording.
    public enum Place: Hashable, Sendable {
        /// The first transfer with a number greater than this one.
        case transfers(after: TransferID)
        /// The first change of conditions with a number greater than this one.
        case conditions(after: Int64)

        /// The beginning of the whole history.
        public static var start: Place { .transfers(after: TransferID(0)) }
    }

    /// The maximum size of a page. Limits a reader's wait and the memory that a read needs.
    public struct PageSize: Hashable, Sendable {
        /// The maximum number of transfers.
        public var transfers: Int
        /// The number of moments after which a page ends. The page includes all moments of its last transfer.
        public var moments: Int
        /// The maximum number of spans of conditions.
        public var spans: Int

        /// Creates a size. All values must be greater than zero. Defaults: 250 transfers, 2,000 moments, and 1,000
        /// spans.
        public init(transfers: Int = 250, moments: Int = 2000, spans: Int = 1000) {
            precondition(transfers > 0 && moments > 0 && spans > 0, "an empty page would never end")
            self.transfers = transfers
            self.moments = moments
            self.spans = spans
        }
    }
}

/// A transfer and its recorded moments.
public struct RecordedTransfer: Hashable, Sendable {
    /// The number of the transfer.
    public var id: TransferID
    /// The specification of the transfer, redacted.
    public var specification: TransferSpecification
    /// The result of the transfer; nil while the transfer is unfinished.
    public var ending: TransferEnding?
    /// The moments of the transfer, oldest first: its submission, then the latest 1,000.
    public var moments: [TransferMoment]

    /// Creates a recorded transfer and redacts the specification.
    public init(
        id: TransferID, specification: TransferSpecification, ending: TransferEnding?, moments: [TransferMoment]
    ) {
        self.id = id
        self.specification = specification.redacted
        self.ending = ending
        self.moments = moments
    }
}

/// An event in the life of a transfer.
public struct TransferMoment: Hashable, Sendable {
    /// The kinds of moments.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The transfer was submitted.
        case submitted
        /// An attempt began.
        case started
        /// The attempt was stopped, and its bytes were kept.
        case paused
        /// The attempt failed, and another attempt was to follow.
        case retried
        /// The transfer ended with a complete response from the server.
        case finished
        /// The transfer ended with an error.
        case failed
        /// The transfer ended because it was canceled.
        case cancelled

        /// Whether no further moment follows.
        public var isEnd: Bool { self == .finished || self == .failed || self == .cancelled }
    }

    /// The number of the transfer.
    public var id: TransferID
    /// The time of the moment.
    public var time: WallTime
    /// The kind of the moment.
    public var kind: Kind
    /// The reason for a pause or the message of a failure, for display to the user. Contains no secret.
    public var note: String?

    /// Creates a moment.
    public init(id: TransferID, time: WallTime, kind: Kind, note: String? = nil) {
        self.id = id
        self.time = time
        self.kind = kind
        self.note = note
    }
}

/// A span of time in which the recorded conditions of the machine did not change.
public struct ConditionSpan: Hashable, Sendable {
    /// The beginning of the span.
    public var start: WallTime
    /// The end of the span, exclusive; nil if the conditions still apply.
    public var end: WallTime?
    /// The conditions during the span.
    public var facts: RecordedFacts

    /// Creates a span.
    public init(start: WallTime, end: WallTime?, facts: RecordedFacts) {
        self.start = start
        self.end = end
        self.facts = facts
    }
}

/// The recorded conditions of a machine.
public struct RecordedFacts: Hashable, Sendable {
    /// The power source.
    public var power: PowerSource
    /// The battery charge in percent, accurate to within 5; nil if there was no battery or its charge was unknown.
    public var batteryLevel: Int?
    /// The part of the network that was reachable.
    public var network: Reachability
    /// The kind of the device under the default route.
    public var linkKind: LinkKind
    /// Whether traffic cost money.
    public var metered: Metered
    /// Whether the machine was asleep, or was about to sleep or to shut down.
    public var isSuspended: Bool

    /// Creates recorded conditions.
    public init(
        power: PowerSource, batteryLevel: Int? = nil, network: Reachability, linkKind: LinkKind, metered: Metered,
        isSuspended: Bool = false
    ) {
        self.power = power
        self.batteryLevel = batteryLevel
        self.network = network
        self.linkKind = linkKind
        self.metered = metered
        self.isSuspended = isSuspended
    }

    /// Creates the recorded form of `conditions`.
    public init(_ conditions: Conditions) {
        self.init(
            power: conditions.power.value, batteryLevel: conditions.battery.value.level,
            network: conditions.network.value, linkKind: conditions.linkKind.value,
            metered: conditions.metered.value, isSuspended: conditions.sleep.value != .awake)
    }

    /// Returns whether `other` is too similar to be recorded. A battery level alone must differ by at least 5.
    func isLike(_ other: RecordedFacts) -> Bool {
        var same = other
        if let level = batteryLevel, let theirs = other.batteryLevel, abs(level - theirs) < 5 {
            same.batteryLevel = level
        }
        return self == same
    }
}
