// SPDX-License-Identifier: Apache-2.0
public import TransferEngine
public import TransferModel

/// A page of what was recorded of the past: transfers and what the machine was like meanwhile.
public struct History: Hashable, Sendable {
    /// The transfers that anything was recorded of, by number.
    public var transfers: [RecordedTransfer]
    /// What the machine was like, oldest first; spans do not overlap, and there are gaps where nobody watched.
    public var conditions: [ConditionSpan]
    /// The beginning of the next page; nil on the last page.
    public var next: Place?

    /// A history.
    public init(transfers: [RecordedTransfer] = [], conditions: [ConditionSpan] = [], next: Place? = nil) {
        self.transfers = transfers
        self.conditions = conditions
        self.next = next
    }

    /// The beginning of a page. Transfers come first, by number, then conditions in the order of their recording.
    public enum Place: Hashable, Sendable {
        /// With the first transfer of a greater number than this.
        case transfers(after: TransferID)
        /// With the first change of conditions after the one of this number.
        case conditions(after: Int64)

        /// With everything.
        public static var start: Place { .transfers(after: TransferID(0)) }
    }

    /// The most that a page holds. Bounds how long a reader waits and how much memory reading takes.
    public struct PageSize: Hashable, Sendable {
        /// The most transfers.
        public var transfers: Int
        /// So many moments end a page after the transfer that they belong to.
        public var moments: Int
        /// The most spans of conditions.
        public var spans: Int

        /// A size; by default 250 transfers, 2,000 moments and 1,000 spans.
        public init(transfers: Int = 250, moments: Int = 2000, spans: Int = 1000) {
            precondition(transfers > 0 && moments > 0 && spans > 0, "an empty page would never end")
            self.transfers = transfers
            self.moments = moments
            self.spans = spans
        }
    }
}

/// A transfer with what happened to it.
public struct RecordedTransfer: Hashable, Sendable {
    /// Its number.
    public var id: TransferID
    /// What was to be done, without what may be secret.
    public var specification: TransferSpecification
    /// How it ended; nil while it has not.
    public var ending: TransferEnding?
    /// The transfer's moments, oldest first: its submission, then the latest 1,000.
    public var moments: [TransferMoment]

    /// A transfer; what may be secret is taken out of the specification.
    public init(
        id: TransferID, specification: TransferSpecification, ending: TransferEnding?, moments: [TransferMoment]
    ) {
        self.id = id
        self.specification = specification.redacted
        self.ending = ending
        self.moments = moments
    }
}

/// Something that happened to a transfer.
public struct TransferMoment: Hashable, Sendable {
    /// The kinds of things that happen.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// It was handed over.
        case submitted
        /// An attempt began.
        case started
        /// The attempt was stopped, its bytes kept.
        case paused
        /// The attempt failed, and another one was to follow.
        case retried
        /// It was over, with a complete answer of the server.
        case finished
        /// It was over, with an error.
        case failed
        /// It was over, because somebody asked for that.
        case cancelled

        /// Whether nothing follows.
        public var isEnd: Bool { self == .finished || self == .failed || self == .cancelled }
    }

    /// The transfer.
    public var id: TransferID
    /// When it happened.
    public var time: WallTime
    /// What happened.
    public var kind: Kind
    /// Why, for people: reasons of a pause, the words of a failure. Holds no secret.
    public var note: String?

    /// A moment.
    public init(id: TransferID, time: WallTime, kind: Kind, note: String? = nil) {
        self.id = id
        self.time = time
        self.kind = kind
        self.note = note
    }
}

/// What the machine was like for a while.
public struct ConditionSpan: Hashable, Sendable {
    /// When it began.
    public var start: WallTime
    /// When it ended, this moment not included; nil where it is still so.
    public var end: WallTime?
    /// What it was like.
    public var facts: RecordedFacts

    /// A span.
    public init(start: WallTime, end: WallTime?, facts: RecordedFacts) {
        self.start = start
        self.end = end
        self.facts = facts
    }
}

/// What is recorded of the machine.
public struct RecordedFacts: Hashable, Sendable {
    /// What it ran on.
    public var power: PowerSource
    /// Charge in percent; nil where there was no battery or nobody could say. Within 5 of what it was.
    public var batteryLevel: Int?
    /// What could be reached.
    public var network: Reachability
    /// The kind of device under the default route.
    public var linkKind: LinkKind
    /// Whether bytes cost money.
    public var metered: Metered
    /// Whether it slept, or was about to sleep or to be switched off.
    public var isSuspended: Bool

    /// Facts.
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

    /// What is recorded of conditions.
    public init(_ conditions: Conditions) {
        self.init(
            power: conditions.power.value, batteryLevel: conditions.battery.value.level,
            network: conditions.network.value, linkKind: conditions.linkKind.value,
            metered: conditions.metered.value, isSuspended: conditions.sleep.value != .awake)
    }

    /// Whether `other` differs enough from this to be recorded: a battery's level alone by 5 and more.
    func isLike(_ other: RecordedFacts) -> Bool {
        var same = other
        if let level = batteryLevel, let theirs = other.batteryLevel, abs(level - theirs) < 5 {
            same.batteryLevel = level
        }
        return self == same
    }
}
