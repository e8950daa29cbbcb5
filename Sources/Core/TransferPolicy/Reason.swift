// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A reason why a transfer does not run.
///
/// Every reason has a stable ``code``, specific data, and a sentence for users.
///
/// ## Topics
///
/// ### Dates and windows
///
/// - ``notBefore(_:)``
/// - ``outsideWindow(opens:)``
/// - ``windowTooShort(needed:left:)``
///
/// ### Prices
///
/// - ``price(_:limit:until:knownUntil:)``
/// - ``priceUnknown(curveEnd:)``
///
/// ### Power
///
/// - ``onBattery(level:)``
/// - ``batteryLow(level:needed:)``
/// - ``powerUnknown``
/// - ``aboutToSleep``
/// - ``aboutToShutDown``
///
/// ### Network
///
/// - ``noNetwork``
/// - ``captivePortal``
/// - ``networkKind(_:allowed:)``
/// - ``connectionDenied(_:)``
/// - ``metered(isGuess:)``
///
/// ### Limits
///
/// - ``debouncing(_:until:)``
/// - ``waitingForSlot(_:)``
/// - ``backoff(attempt:cause:until:)``
/// - ``retryAfter(until:)``
/// - ``storageLow(needed:available:)``
/// - ``rateLimited(delay:relaunches:until:)``
/// - ``budgetSpent(renewed:)``
///
/// ### Users and apps
///
/// - ``suspended``
/// - ``held(by:why:)``
/// - ``custom(_:value:sentence:)``
/// - ``needsApp(_:)``
///
/// ### Properties
///
/// - ``code``
public enum Reason: Hashable, Sendable {
    /// The transfer's earliest start date is in the future.
    case notBefore(WallTime)
    /// The machine runs on battery, but the transfer requires AC power. `level` is the charge in percent, or `nil`
    /// if the charge is unknown.
    case onBattery(level: Int?)
    /// The machine runs on battery, and the charge is not above the required level. Both values are in percent.
    case batteryLow(level: Int, needed: Int)
    /// No source reports whether the machine runs on AC power or on battery.
    case powerUnknown
    /// The network is metered. `isGuess` is true if the price is only a guess by a source or by a rule.
    case metered(isGuess: Bool)
    /// No network is available.
    case noNetwork
    /// A captive portal blocks the network until the user logs in.
    case captivePortal
    /// The network's link is of a kind that the transfer does not allow.
    case networkKind(LinkKind, allowed: LinkKinds)
    /// The transfer may not use the current connection.
    case connectionDenied(ConnectionDenial)
    /// The time is outside the windows of the transfer or the policy. `opens` is the start of the next window, or
    /// `nil` if no window follows.
    case outsideWindow(opens: WallTime?)
    /// A condition has just become good and is still being debounced. The condition counts from `until` on.
    case debouncing(DebouncedCondition, until: Instant)
    /// Other transfers occupy all slots of the given scope.
    case waitingForSlot(SlotScope)
    /// An attempt failed. `until` is the time of the next attempt.
    case backoff(attempt: Int, cause: FailureCause, until: Instant)
    /// The server requested with `Retry-After` that no transfer to it starts before `until`.
    case retryAfter(until: WallTime)
    /// The disk has too little free space. Both values are in bytes; `needed` is `nil` if the transfer's size is
    /// unknown.
    case storageLow(needed: Int64?, available: Int64)
    /// The transfer is paused.
    case suspended
    /// The relaunch limiter delays the app's background work. `relaunches` is the number of counted launches, and
    /// `until` is the end of the delay.
    case rateLimited(delay: Duration, relaunches: Int, until: WallTime)
    /// The budget for metered data is exhausted. `renewed` is the start of the budget's next period, or `nil` if that date is unknown.
    case budgetSpent(renewed: WallTime?)
    /// A user, a program, or a policy blocks the transfer. `by` names the holder, and `why` gives the reason.
    case held(by: String, why: String)
    /// The app must act before the transfer can continue.
    case needsApp(AppNeed)
    /// The transfer needs more time than is left until it must stop again.
    case windowTooShort(needed: Duration, left: Duration)
    /// Energy costs too much now. `limit` is the price that the transfer requires not to be reached, or `nil` if the
    /// policy waits for a lower price. `until` is the date of the lower price, or `nil` if no known price is low enough.
    /// `knownUntil` is the end of the price curve.
    case price(Double, limit: Double?, until: WallTime?, knownUntil: WallTime)
    /// The transfer requires a price, and the price is unknown. `curveEnd` is the end of the price curve, or `nil` if
    /// there is no curve.
    case priceUnknown(curveEnd: WallTime?)
    /// A condition that the user or an embedding program has defined does not have a required value. `value` is `nil` if
    /// the value is unknown. `sentence` says what the value means, or that no such condition is defined.
    case custom(CustomConstraint, value: String?, sentence: String?)
    /// The machine is about to sleep, or is asleep.
    case aboutToSleep
    /// The machine is about to shut down or restart.
    case aboutToShutDown

    /// The stable name of the reason in JSON, in logs, and on D-Bus.
    public var code: String {
        switch self {
        case .notBefore: "notBefore"
        case .onBattery: "onBattery"
        case .batteryLow: "batteryLow"
        case .powerUnknown: "powerUnknown"
        case .metered: "metered"
        case .noNetwork: "noNetwork"
        case .captivePortal: "captivePortal"
        case .networkKind: "networkKind"
        case .outsideWindow: "outsideWindow"
        case .debouncing: "settling"
        case .waitingForSlot: "waitingForSlot"
        case .backoff: "backoff"
        case .retryAfter: "retryAfter"
        case .storageLow: "storageLow"
        case .suspended: "suspended"
        case .connectionDenied: "connectionDenied"
        case .rateLimited: "rateLimited"
        case .budgetSpent: "budgetSpent"
        case .held: "held"
        case .needsApp: "needsApp"
        case .windowTooShort: "windowTooShort"
        case .price: "price"
        case .priceUnknown: "priceUnknown"
        case .custom: "condition"
        case .aboutToSleep: "aboutToSleep"
        case .aboutToShutDown: "aboutToShutDown"
        }
    }
}

/// An action that an app must take before its transfer continues.
public enum AppNeed: String, Hashable, Sendable, CaseIterable {
    /// The app must answer an authentication challenge.
    case authentication
    /// The app must decide whether a delayed request begins.
    case delayedBegin
    /// The app must register again, so that the daemon can notify it of the transfer's end.
    case notRegistered
}

/// A group of facts that is being debounced.
public enum DebouncedCondition: String, Hashable, Sendable {
    /// The power supply.
    case power
    /// The network: its reachability, link kind, price, connection name, and roaming state.
    case network
}

/// A set of slots that transfers compete for.
public enum SlotScope: Hashable, Sendable {
    /// The slots of all transfers together.
    case global
    /// The slots of one app. The value is the app's identifier.
    case app(String)
    /// The slots of one session of an app. The value names the session.
    case session(String)
    /// The slots of one host. The value is the host's name.
    case host(String)
}

/// A wait reason together with the fact behind it.
public struct WaitReason: Hashable, Sendable {
    /// The reason why the transfer waits.
    public var reason: Reason
    /// The moment from which the underlying fact has been true.
    public var since: ClockReading
    /// The source of the fact, or `nil` if the reason lies in the transfer itself.
    public var source: FactSource?
    /// The confidence in the fact, or `nil` if the reason lies in the transfer itself.
    public var confidence: Confidence?

    /// Creates a wait reason with an optional source and confidence.
    public init(_ reason: Reason, since: ClockReading, source: FactSource? = nil, confidence: Confidence? = nil) {
        self.reason = reason
        self.since = since
        self.source = source
        self.confidence = confidence
    }

    /// Creates a wait reason that takes its start, source, and confidence from `fact`.
    public init<Value>(_ reason: Reason, from fact: Fact<Value>) {
        self.init(reason, since: fact.since, source: fact.source, confidence: fact.confidence)
    }
}
