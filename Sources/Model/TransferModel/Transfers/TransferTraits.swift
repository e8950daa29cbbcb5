// SPDX-License-Identifier: Apache-2.0

/// The kind of work that a transfer does, which determines its urgency.
public enum WorkKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A user waits for the transfer. It starts immediately on any network that its constraints allow.
    case userInitiated
    /// Background work that is not discretionary. It runs on any network that its constraints allow.
    case normal
    /// Work that may wait for better conditions. The policy decides.
    case discretionary
}

/// The properties of a transfer that scheduling decisions use. They include no URL and no file.
///
/// ```swift
/// let traits = TransferTraits(kind: .discretionary, constraints: Constraints(metered: .unmetered))
/// ```
///
/// ## Topics
///
/// ### Urgency
///
/// - ``kind``
/// - ``priority``
/// - ``submitted``
/// - ``expires``
/// - ``isFromBackground``
/// - ``policy``
///
/// ### Requirements
///
/// - ``constraints``
/// - ``isLoopback``
///
/// ### Slots
///
/// - ``host``
/// - ``app``
/// - ``session``
/// - ``slotsPerHost``
///
/// ### Size and retries
///
/// - ``expectedBytesToReceive``
/// - ``expectedBytesToSend``
/// - ``maximumAttempts``
public struct TransferTraits: Hashable, Sendable, Codable {
    /// The kind of work, which determines the urgency.
    public var kind: WorkKind
    /// The constraints of the transfer. All of them must be satisfied.
    public var constraints: Constraints
    /// The priority among equals, 0…1000. Higher values run first, and 500 is the default.
    public var priority: Int
    /// The key for counting slots per host: scheme, host, and port. The engine derives an empty key from the URL.
    public var host: String
    /// The key for counting slots per app.
    public var app: String
    /// A Boolean value that indicates whether the server is on this machine. Such a transfer needs no network and
    /// costs nothing.
    public var isLoopback: Bool
    /// The maximum number of bytes that the transfer is expected to receive, or `nil` if unknown.
    public var expectedBytesToReceive: Int64?
    /// The maximum number of bytes that the transfer is expected to send, or `nil` if unknown.
    public var expectedBytesToSend: Int64?
    /// The number of failed attempts without progress after which the transfer ends, or `nil` for the scheduler's
    /// setting.
    public var maximumAttempts: Int?
    /// The date of the submission. The engine replaces ``WallTime/atSubmission`` with the current date.
    public var submitted: WallTime
    /// The key for counting slots per session within the app, or `nil` if the transfer belongs to no session.
    public var session: String?
    /// The limit on running transfers to the same host when this transfer starts, at least 1, or `nil` for the
    /// scheduler's setting.
    public var slotsPerHost: Int?
    /// A Boolean value that indicates whether the app submitted the transfer in the background. The transfer is then
    /// discretionary, and the relaunch limiter delays it.
    public var isFromBackground: Bool?
    /// The date on which an unfinished transfer fails, or `nil` for never.
    public var expires: WallTime?
    /// The limit on the transfer's rate in bytes per second, or `nil` for no individual limit. Estimates use the limit;
    /// the executor enforces the limit of the specification.
    public var rateLimit: Int64?
    /// The policy that decides when this transfer runs, as `NAME[:key=value]…`, or `nil` for the scheduler's policy.
    ///
    /// Only discretionary work asks a policy, and only a scheduler with a `MixedPolicy` reads the name.
    public var policy: String?

    /// Creates traits. The defaults describe work that runs on any network. The priority is clamped to 0…1000, and a
    /// negative expected size becomes `nil`. Work from the background is discretionary, regardless of `kind`.
    /// `maximumAttempts` and `slotsPerHost` are raised to 1.
    public init(
        kind: WorkKind = .normal, constraints: Constraints = Constraints(), priority: Int = 500, host: String = "",
        app: String = "", isLoopback: Bool = false, expectedBytesToReceive: Int64? = nil,
        expectedBytesToSend: Int64? = nil, maximumAttempts: Int? = nil, submitted: WallTime = .atSubmission,
        session: String? = nil, slotsPerHost: Int? = nil, isFromBackground: Bool = false, expires: WallTime? = nil,
        policy: String? = nil
    ) {
        self.kind = isFromBackground ? .discretionary : kind
        self.constraints = constraints
        self.priority = min(max(priority, 0), 1000)
        self.host = host
        self.app = app
        self.isLoopback = isLoopback
        self.expectedBytesToReceive = expectedBytesToReceive.flatMap { $0 < 0 ? nil : $0 }
        self.expectedBytesToSend = expectedBytesToSend.flatMap { $0 < 0 ? nil : $0 }
        self.maximumAttempts = maximumAttempts.map { max(1, $0) }
        self.submitted = submitted
        self.session = session
        self.slotsPerHost = slotsPerHost.map { max(1, $0) }
        self.isFromBackground = isFromBackground ? true : nil
        self.expires = expires
        self.policy = policy
    }

    /// Decodes stored traits. All values are limited to their ranges.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            kind: try container.decode(WorkKind.self, forKey: .kind),
            constraints: try container.decode(Constraints.self, forKey: .constraints),
            priority: try container.decode(Int.self, forKey: .priority),
            host: try container.decode(String.self, forKey: .host),
            app: try container.decode(String.self, forKey: .app),
            isLoopback: try container.decode(Bool.self, forKey: .isLoopback),
            expectedBytesToReceive: try container.decodeIfPresent(Int64.self, forKey: .expectedBytesToReceive),
            expectedBytesToSend: try container.decodeIfPresent(Int64.self, forKey: .expectedBytesToSend),
            maximumAttempts: try container.decodeIfPresent(Int.self, forKey: .maximumAttempts),
            submitted: try container.decode(WallTime.self, forKey: .submitted),
            session: try container.decodeIfPresent(String.self, forKey: .session),
            slotsPerHost: try container.decodeIfPresent(Int.self, forKey: .slotsPerHost),
            isFromBackground: try container.decodeIfPresent(Bool.self, forKey: .isFromBackground) ?? false,
            expires: try container.decodeIfPresent(WallTime.self, forKey: .expires),
            policy: try container.decodeIfPresent(String.self, forKey: .policy))
        rateLimit = try container.decodeIfPresent(Int64.self, forKey: .rateLimit).map { max(1, $0) }
    }
}

/// All requirements of a transfer. The defaults require only a network.
///
/// ```swift
/// let constraints = Constraints(power: .ac, metered: .unmetered)
/// ```
public struct Constraints: Hashable, Sendable, Codable {
    /// The required power supply.
    public var power: PowerConstraint
    /// The allowed kinds of links.
    public var linkKinds: LinkKindConstraint
    /// The allowed connections.
    public var connection: ConnectionConstraint
    /// The permission to cost money.
    public var metered: MeteredConstraint
    /// The earliest start date, or `nil` if there is none.
    public var notBefore: NotBeforeConstraint?
    /// The date by which the transfer should finish, or `nil` if there is none.
    public var deadline: DeadlineConstraint?
    /// The windows of the local week in which the transfer may run, or `nil` for any time.
    public var window: WindowConstraint?
    /// The price of energy below which the transfer may run, or `nil` for any price.
    public var price: PriceConstraint?
    /// The patience of the user, which the default policy follows, or `nil` for the configured patience.
    public var patience: Patience?
    /// The required values of conditions that the user or an embedding program has defined, at most one element for each
    /// condition, sorted by name.
    public var custom: [CustomConstraint]

    /// Creates constraints. Arguments that are left out require nothing.
    public init(
        power: PowerConstraint = .any, linkKinds: LinkKindConstraint = .any, metered: MeteredConstraint = .unstated,
        notBefore: NotBeforeConstraint? = nil, deadline: DeadlineConstraint? = nil, window: WindowConstraint? = nil,
        connection: ConnectionConstraint = .any, price: PriceConstraint? = nil, patience: Patience? = nil,
        custom: [CustomConstraint] = []
    ) {
        self.power = power
        self.linkKinds = linkKinds
        self.metered = metered
        self.notBefore = notBefore
        self.deadline = deadline
        self.window = window
        self.connection = connection
        self.price = price
        self.patience = patience
        self.custom = custom
    }

    /// Decodes stored constraints. A constraint that an earlier version did not store requires nothing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        power = try container.decode(PowerConstraint.self, forKey: .power)
        linkKinds = try container.decode(LinkKindConstraint.self, forKey: .linkKinds)
        metered = try container.decode(MeteredConstraint.self, forKey: .metered)
        notBefore = try container.decodeIfPresent(NotBeforeConstraint.self, forKey: .notBefore)
        deadline = try container.decodeIfPresent(DeadlineConstraint.self, forKey: .deadline)
        window = try container.decodeIfPresent(WindowConstraint.self, forKey: .window)
        connection = try container.decodeIfPresent(ConnectionConstraint.self, forKey: .connection) ?? .any
        price = try container.decodeIfPresent(PriceConstraint.self, forKey: .price)
        patience = try container.decodeIfPresent(Patience.self, forKey: .patience)
        custom = try container.decodeIfPresent([CustomConstraint].self, forKey: .custom) ?? []
    }
}
