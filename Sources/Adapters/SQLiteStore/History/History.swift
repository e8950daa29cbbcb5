// SPDX-License-Identifier: Apache-2.0
public import TransferEngine
public import TransferModel

/// A page of recorded history: transfers, and the conditions of the machine.
public struct History: Hashable, Sendable {
    /// The transfers with recorded events, in the order of their IDs.
    public var transfers: [RecordedTransfer]
    /// The conditions of the machine, oldest first. Spans do not overlap; there are gaps for times without a record.
    public var conditions: [ConditionSpan]
    /// The position of the next page; `nil` on the last page.
    public var next: Position?

    /// Creates a page of history.
    public init(transfers: [RecordedTransfer] = [], conditions: [ConditionSpan] = [], next: Position? = nil) {
        self.transfers = transfers
        self.conditions = conditions
        self.next = next
    }

    /// The position at which a page begins. Transfers come first, by ID, then conditions in the order of their
    /// recording.
    public enum Position: Hashable, Sendable {
        /// The first transfer with an ID greater than this ID.
        case transfers(after: TransferID)
        /// The first change of conditions with a number greater than this number.
        case conditions(after: Int64)

        /// The beginning of the whole history.
        public static var start: Position { .transfers(after: TransferID(0)) }
    }

    /// The maximum size of a page. Limits a reader's wait and the memory that a read needs.
    public struct PageSize: Hashable, Sendable {
        /// The maximum number of transfers.
        public var transfers: Int
        /// The number of events after which a page ends. The page includes all events of its last transfer.
        public var events: Int
        /// The maximum number of spans of conditions.
        public var spans: Int

        /// Creates a size. All values must be greater than zero. Defaults: 250 transfers, 2,000 events, and 1,000
        /// spans.
        public init(transfers: Int = 250, events: Int = 2000, spans: Int = 1000) {
            precondition(transfers > 0 && events > 0 && spans > 0, "the sizes of a page must be greater than zero")
            self.transfers = transfers
            self.events = events
            self.spans = spans
        }
    }
}

/// A transfer and its recorded events.
public struct RecordedTransfer: Hashable, Sendable {
    /// The ID of the transfer.
    public var id: TransferID
    /// The specification of the transfer, redacted.
    public var specification: TransferSpecification
    /// The result of the transfer; `nil` while the transfer is unfinished.
    public var ending: TransferEnding?
    /// The events of the transfer, oldest first: its submission, then the latest 1,000 events.
    public var events: [TransferHistoryEvent]

    /// Creates a recorded transfer and redacts the specification.
    public init(
        id: TransferID, specification: TransferSpecification, ending: TransferEnding?, events: [TransferHistoryEvent]
    ) {
        self.id = id
        self.specification = specification.redacted
        self.ending = ending
        self.events = events
    }
}

/// An event in the life of a transfer.
public struct TransferHistoryEvent: Hashable, Sendable {
    /// The kinds of events.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The transfer was submitted.
        case submitted
        /// The user or the app changed the conditions, the kind, the priority, or the URL.
        case changed
        /// An attempt began.
        case started
        /// The attempt was stopped, and its bytes were kept.
        case paused
        /// The attempt began again with the first byte.
        case restarted
        /// The attempt failed, and another attempt was to follow.
        case retried
        /// The transfer ended with a complete response from the server.
        case finished
        /// The transfer ended with an error.
        case failed
        /// The transfer ended because it was canceled.
        case cancelled

        /// A Boolean value that indicates whether the event is the last event of the transfer.
        public var isEnd: Bool { self == .finished || self == .failed || self == .cancelled }
    }

    /// The ID of the transfer.
    public var id: TransferID
    /// The time of the event.
    public var time: WallTime
    /// The kind of the event.
    public var kind: Kind
    /// The reason for a pause or the message of a failure, for display to the user. Contains no secret.
    public var message: String?

    /// Creates an event.
    public init(id: TransferID, time: WallTime, kind: Kind, message: String? = nil) {
        self.id = id
        self.time = time
        self.kind = kind
        self.message = message
    }
}

/// A span of time in which the recorded conditions of the machine did not change.
public struct ConditionSpan: Hashable, Sendable {
    /// The beginning of the span.
    public var start: WallTime
    /// The end of the span, exclusive; `nil` if the conditions still apply.
    public var end: WallTime?
    /// The conditions during the span.
    public var values: StoredConditions

    /// Creates a span.
    public init(start: WallTime, end: WallTime?, values: StoredConditions) {
        self.start = start
        self.end = end
        self.values = values
    }
}

/// The recorded conditions of a machine.
public struct StoredConditions: Hashable, Sendable {
    /// The power source.
    public var power: PowerSource
    /// The battery charge in percent, accurate to within 5; `nil` if there was no battery or its charge was unknown.
    public var batteryLevel: Int?
    /// The part of the network that was reachable.
    public var network: Reachability
    /// The kind of the device under the default route.
    public var linkKind: LinkKind
    /// The cost of traffic on the network.
    public var metered: Metered
    /// A Boolean value that indicates whether the machine was asleep, or was about to sleep or shut down.
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
    func isSimilar(_ other: StoredConditions) -> Bool {
        var same = other
        if let level = batteryLevel, let theirs = other.batteryLevel, (level - theirs).magnitude < 5 {
            same.batteryLevel = level
        }
        return self == same
    }
}
