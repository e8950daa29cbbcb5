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
    /// Have the named holder release the transfer.
    case release(by: String)
}

/// The reasons why a transfer does not run, and the time and changes that let the transfer start.
public struct Explanation: Hashable, Sendable {
    /// The wait reasons, each with its source and start time. Empty while the transfer runs.
    public var reasons: [WaitReason]
    /// The changes that are each sufficient to start the transfer. Empty if only several changes together suffice.
    public var remedies: [Remedy]
    /// The time of the next re-evaluation; `nil` if only an event can change the result.
    public var nextReevaluation: WallTime?
    /// A Boolean value that indicates whether the transfer's deadline has passed.
    public var isLate: Bool
    /// The time at which good conditions are likely next, from past weeks; `nil` if there is too little history.
    public var expectedChance: WallTime?
    /// The time the transfer has waited for each reason since this process started to track it, ordered by reason
    /// code. The times begin again at zero after a restart of the process.
    public var waited: [ReasonTime]

    /// Creates an explanation.
    public init(
        reasons: [WaitReason], remedies: [Remedy], nextReevaluation: WallTime?, isLate: Bool,
        expectedChance: WallTime? = nil,
        waited: [ReasonTime] = []
    ) {
        self.waited = waited
        self.reasons = reasons
        self.remedies = remedies
        self.nextReevaluation = nextReevaluation
        self.isLate = isLate
        self.expectedChance = expectedChance
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
