// SPDX-License-Identifier: Apache-2.0

/// How urgent a transfer's kind makes it.
public enum WorkKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A person waits for it: starts at once on any network its constraints allow.
    case userInitiated
    /// Background work that is not discretionary: any network its constraints allow.
    case normal
    /// May wait for better conditions: the policy decides.
    case discretionary
}

/// What the deciding code sees of a transfer: no URL, no file, only what matters to when it runs.
public struct TransferTraits: Hashable, Sendable, Codable {
    /// How urgent it is.
    public var kind: WorkKind
    /// What it asks for; all of it must hold.
    public var constraints: Constraints
    /// 0…1000, higher first among equals; 500 is ordinary.
    public var priority: Int
    /// The key under which slots per host are counted: scheme, host and port.
    public var host: String
    /// The key under which slots per app are counted.
    public var app: String
    /// Whether the server is on this machine: it needs no network and costs nothing.
    public var isLoopback: Bool
    /// How many bytes are expected to come, at most; nil when unknown.
    public var expectedBytesToReceive: Int64?
    /// How many bytes are expected to go out, at most; nil when unknown.
    public var expectedBytesToSend: Int64?
    /// Failed attempts without progress after which it ends; nil takes the scheduler's setting.
    public var maximumAttempts: Int?
    /// When it was handed over.
    public var submitted: WallTime
    /// The key under which slots per session are counted, within its app; nil where it belongs to none.
    public var session: String?
    /// How many transfers to its host may run while it starts, at least 1; nil takes the scheduler's setting.
    public var slotsPerHost: Int?
    /// Whether its app gave it while in the background: then it is discretionary, and held by the relaunch limiter.
    public var isFromBackground: Bool?
    /// When it is given up if it is not done; nil never.
    public var expires: WallTime?

    /// Traits; `priority` is held within 0…1000 and a negative expectation becomes unknown.
    public init(
        kind: WorkKind, constraints: Constraints = Constraints(), priority: Int = 500, host: String,
        app: String = "", isLoopback: Bool = false, expectedBytesToReceive: Int64? = nil,
        expectedBytesToSend: Int64? = nil, maximumAttempts: Int? = nil, submitted: WallTime, session: String? = nil,
        slotsPerHost: Int? = nil, isFromBackground: Bool = false, expires: WallTime? = nil
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
    }

    /// Traits from their stored form, held within their ranges as any others.
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
            expires: try container.decodeIfPresent(WallTime.self, forKey: .expires))
    }
}

/// Everything a transfer asks for; the defaults ask for nothing but a network.
public struct Constraints: Hashable, Sendable, Codable {
    /// What power it needs.
    public var power: PowerConstraint
    /// What kinds of link it may use.
    public var linkKinds: LinkKindConstraint
    /// Which connections it may use.
    public var connection: ConnectionConstraint
    /// Whether it may cost money.
    public var metered: MeteredConstraint
    /// Not before this date.
    public var notBefore: NotBeforeConstraint?
    /// To be done by this date.
    public var deadline: DeadlineConstraint?
    /// Only within these windows of the local week.
    public var window: WindowConstraint?

    /// Constraints; what is not named asks for nothing.
    public init(
        power: PowerConstraint = .any, linkKinds: LinkKindConstraint = .any, metered: MeteredConstraint = .unstated,
        notBefore: NotBeforeConstraint? = nil, deadline: DeadlineConstraint? = nil, window: WindowConstraint? = nil,
        connection: ConnectionConstraint = .any
    ) {
        self.power = power
        self.linkKinds = linkKinds
        self.metered = metered
        self.notBefore = notBefore
        self.deadline = deadline
        self.window = window
        self.connection = connection
    }

    /// Constraints from their stored form; one that an earlier version did not know asks for nothing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        power = try container.decode(PowerConstraint.self, forKey: .power)
        linkKinds = try container.decode(LinkKindConstraint.self, forKey: .linkKinds)
        metered = try container.decode(MeteredConstraint.self, forKey: .metered)
        notBefore = try container.decodeIfPresent(NotBeforeConstraint.self, forKey: .notBefore)
        deadline = try container.decodeIfPresent(DeadlineConstraint.self, forKey: .deadline)
        window = try container.decodeIfPresent(WindowConstraint.self, forKey: .window)
        connection = try container.decodeIfPresent(ConnectionConstraint.self, forKey: .connection) ?? .any
    }
}
