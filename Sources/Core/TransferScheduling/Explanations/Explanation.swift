// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferPolicy

/// A single change that is sufficient to start a waiting transfer.
public enum Remedy: Hashable, Sendable {
    /// Plug in the machine. The transfer starts `after` that time.
    case plugIn(after: Duration)
    /// Charge the battery above this level, in percent.
    case chargeAbove(Int)
    /// Join an unmetered network. The transfer starts `after` that time.
    case joinUnmetered(after: Duration)
    /// Join any network. The transfer starts `after` that time.
    case joinNetwork(after: Duration)
    /// Log in at the network's portal.
    case logIn
    /// Join a network of one of these kinds. The transfer starts `after` that time.
    case joinKind(LinkKinds, after: Duration)
    /// Wait. The transfer starts at this time without any other change.
    case wait(until: WallTime)
    /// Wait for another transfer to end.
    case slot
    /// Free this number of bytes; `nil` if the number is unknown.
    case freeSpace(Int64?)
    /// Resume the transfer.
    case resume
    /// Join a connection that the transfer may use. The transfer starts `after` that time.
    case joinAllowed(after: Duration)
    /// Open the transfer's app. The app has an action to complete, or was relaunched too often without being opened by
    /// the user.
    case openApp
    /// Wait for a condition that the user has defined.
    case become(CustomConstraint)
    /// Have the named holder release the transfer.
    case release(by: String)
}

/// Several changes that together start a waiting transfer, although none of them does alone.
public struct JointRemedy: Hashable, Sendable {
    /// The changes, in the order of the wait reasons. Their own delays are zero.
    public var changes: [Remedy]
    /// The time from the changes to the start if all changes happen now.
    public var after: Duration
    /// The date of the start if it depends on a date or a window, and all changes happen early enough before; otherwise
    /// `nil`.
    public var date: WallTime?

    /// Creates a joint remedy.
    public init(changes: [Remedy], after: Duration, date: WallTime?) {
        (self.changes, self.after, self.date) = (changes, after, date)
    }
}

/// The reasons why a transfer does not run, and the time and changes that let the transfer start.
public struct Explanation: Hashable, Sendable {
    /// The wait reasons, each with its source and start time. Empty while the transfer runs.
    public var reasons: [WaitReason]
    /// The changes that are each sufficient to start the transfer. Empty if only several changes together suffice.
    public var remedies: [Remedy]
    /// The changes that together start the transfer; `nil` if one change suffices, or if no changes are known to suffice.
    public var joint: JointRemedy?
    /// The time of the next re-evaluation; `nil` if only an event can change the result.
    public var nextReevaluation: WallTime?
    /// A Boolean value that indicates whether the transfer's deadline has passed.
    public var isLate: Bool
    /// The time at which good conditions are likely next, from past weeks; `nil` if there is too little history.
    public var expectedChance: WallTime?
    /// The date from which the transfer no longer needs AC power, with the reason; `nil` if the policy names none.
    public var outlook: PowerOutlook?
    /// The time the transfer has waited for each reason since this process started to track it, ordered by reason
    /// code. The times begin again at zero after a restart of the process.
    public var waited: [ReasonTime]
    /// The outlook on the transfer's deadline; `nil` if there is no deadline.
    public var deadline: DeadlineOutlook?
    /// The power source at the time of the explanation.
    public var power = PowerSource.unknown
    /// The end of the user's hold on everything, or `nil` if there is none.
    public var endOfHold: WallTime?

    /// Creates an explanation.
    public init(
        reasons: [WaitReason], remedies: [Remedy], nextReevaluation: WallTime?, isLate: Bool,
        expectedChance: WallTime? = nil, outlook: PowerOutlook? = nil, waited: [ReasonTime] = [],
        deadline: DeadlineOutlook? = nil, joint: JointRemedy? = nil
    ) {
        self.joint = joint
        self.deadline = deadline
        self.waited = waited
        self.reasons = reasons
        self.remedies = remedies
        self.nextReevaluation = nextReevaluation
        self.isLate = isLate
        self.expectedChance = expectedChance
        self.outlook = outlook
    }
}

extension Remedy {
    /// A Boolean value that indicates whether time alone starts the transfer.
    var isWait: Bool { if case .wait = self { true } else { false } }
}

/// The outlook on a transfer's deadline.
public struct DeadlineOutlook: Hashable, Sendable {
    /// The deadline.
    public var date: WallTime
    /// The date at which the transfer starts in spite of the conditions, to meet the deadline. `nil` if the transfer
    /// does not start by its deadline without another change.
    public var latestStart: WallTime?
    /// The state of the deadline; `nil` while nothing endangers it.
    public var state: DeadlineState?
    /// The estimate behind the outlook.
    public var estimate: TransferEstimate

    /// Creates an outlook.
    public init(date: WallTime, latestStart: WallTime?, state: DeadlineState?, estimate: TransferEstimate) {
        (self.date, self.latestStart, self.state, self.estimate) = (date, latestStart, state, estimate)
    }
}

/// The time that a transfer has waited for one kind of reason.
public struct ReasonTime: Hashable, Sendable {
    /// The reason's `Reason.code`.
    public var code: String
    /// The waiting time. Time that overlaps with other reasons counts in full for each reason.
    public var time: Duration

    /// Creates a reason time.
    public init(code: String, time: Duration) {
        self.code = code
        self.time = time
    }
}
