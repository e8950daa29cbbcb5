// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferPolicy

/// What one change alone would set a waiting transfer going.
public enum Remedy: Hashable, Sendable {
    /// Plug the machine in; it starts `after` that.
    case plugIn(after: Duration)
    /// Charge the battery above this level, in percent.
    case chargeAbove(Int)
    /// Join a network that costs nothing; it starts `after` that.
    case joinUnmetered(after: Duration)
    /// Join any network; it starts `after` that.
    case joinNetwork(after: Duration)
    /// Log in at the network's portal.
    case logIn
    /// Join a network of one of these kinds; it starts `after` that.
    case joinKind(LinkKinds, after: Duration)
    /// Nothing but time: it starts then.
    case wait(until: WallTime)
    /// Another transfer's end.
    case slot
    /// Free this many bytes; nil when it is not known how many.
    case freeSpace(Int64?)
    /// Resume it.
    case resume
    /// Join a connection that it may use; it starts `after` that.
    case joinAllowed(after: Duration)
    /// Open its app, which has something to do, or was started too often without anybody looking at it.
    case openApp
    /// Whoever holds it lets it go.
    case release(by: String)
}

/// Everything there is to say about why a transfer does not run, and when it will.
public struct Explanation: Hashable, Sendable {
    /// All the reasons, each with its source and since when it holds; empty while it runs.
    public var holds: [Hold]
    /// What alone would release it; empty where only several changes together would.
    public var remedies: [Remedy]
    /// When it will be looked at again without anything happening; nil when only an event can change it.
    public var nextLook: WallTime?
    /// Whether its deadline has passed.
    public var isLate: Bool
    /// When conditions are likely to be good next, going by past weeks; nil while too little was learned.
    public var expectedChance: WallTime?
    /// How long it has waited under each reason since this process knows it, by the reason's code, in that order.
    public var waited: [ReasonTime]

    /// An explanation.
    public init(
        holds: [Hold], remedies: [Remedy], nextLook: WallTime?, isLate: Bool, expectedChance: WallTime? = nil,
        waited: [ReasonTime] = []
    ) {
        self.waited = waited
        self.holds = holds
        self.remedies = remedies
        self.nextLook = nextLook
        self.isLate = isLate
        self.expectedChance = expectedChance
    }
}

/// How long a transfer has waited for one kind of reason.
public struct ReasonTime: Hashable, Sendable {
    /// The reason's ``Reason/code``.
    public var code: String
    /// How long, times that overlap with other reasons included.
    public var time: Duration

    /// A time.
    public init(code: String, time: Duration) {
        self.code = code
        self.time = time
    }
}
