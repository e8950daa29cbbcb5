// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// Why a transfer does not run. Each has a stable code, its data, and a sentence for people.
public enum Reason: Hashable, Sendable {
    /// Its earliest date has not come.
    case notBefore(WallTime)
    /// On battery where mains is asked for.
    case onBattery(level: Int?)
    /// On battery with less charge than asked for, in percent.
    case batteryLow(level: Int, needed: Int)
    /// Nobody can say what the machine runs on.
    case powerUnknown
    /// Bytes would cost money.
    case metered(isGuess: Bool)
    /// There is no network.
    case noNetwork
    /// A login page stands before the network.
    case captivePortal
    /// The link is of another kind than those asked for.
    case networkKind(LinkKind, allowed: LinkKinds)
    /// The connection may not be used.
    case connectionDenied(ConnectionDenial)
    /// Outside its windows of the week; the next one opens then.
    case outsideWindow(opens: WallTime?)
    /// A condition has just become good and must hold until then.
    case settling(SettlingCondition, until: Instant)
    /// Others that may run have taken the slots.
    case waitingForSlot(SlotScope)
    /// An attempt failed; the next one is due then.
    case backoff(attempt: Int, cause: FailureCause, until: Instant)
    /// There is no room on disk. Bytes; `needed` is nil when the size is unknown.
    case storageLow(needed: Int64?, available: Int64)
    /// Somebody paused it.
    case suspended
    /// Its app was started too often for finished work: work from the background waits `delay`, until then.
    case rateLimited(delay: Duration, relaunches: Int, until: WallTime)
    /// A budget is used up; it is renewed then, nil when nobody can say.
    case budgetSpent(Spending.Kind, renewed: WallTime?)
    /// Somebody or something holds it back for a reason of their own.
    case held(by: String, why: String)
    /// Its app has to do something first.
    case needsApp(AppNeed)
    /// What is left of the time in which it may run is shorter than what it needs.
    case windowTooShort(needed: Duration, left: Duration)
    /// The machine goes to sleep, or sleeps.
    case aboutToSleep
    /// The machine is going to be switched off or started anew.
    case aboutToShutDown

    /// The stable name used in JSON, logs and on the bus.
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
        case .settling: "settling"
        case .waitingForSlot: "waitingForSlot"
        case .backoff: "backoff"
        case .storageLow: "storageLow"
        case .suspended: "suspended"
        case .connectionDenied: "connectionDenied"
        case .rateLimited: "rateLimited"
        case .budgetSpent: "budgetSpent"
        case .held: "held"
        case .needsApp: "needsApp"
        case .windowTooShort: "windowTooShort"
        case .aboutToSleep: "aboutToSleep"
        case .aboutToShutDown: "aboutToShutDown"
        }
    }
}

/// What an app has to do before its transfer goes on.
public enum AppNeed: String, Hashable, Sendable, CaseIterable {
    /// Answer an authentication challenge.
    case authentication
    /// Say whether a delayed request is to begin.
    case delayedBegin
    /// Register again, so that it can be told of the end.
    case notRegistered
}

/// What has to settle.
public enum SettlingCondition: String, Hashable, Sendable {
    /// The power supply.
    case power
    /// The network, its kind, its price, or which connection it is.
    case network
}

/// Whose slots are taken.
public enum SlotScope: Hashable, Sendable {
    /// Those of all transfers together.
    case global
    /// Those of one app.
    case app(String)
    /// Those of one session of an app.
    case session(String)
    /// Those of one host.
    case host(String)
}

/// A reason with the fact behind it.
public struct Hold: Hashable, Sendable {
    /// Why.
    public var reason: Reason
    /// Since when the fact behind it holds.
    public var since: Moment
    /// Who said so; nil where the reason lies in the transfer itself.
    public var source: FactSource?
    /// How sure the fact is; nil where the reason lies in the transfer itself.
    public var sureness: Sureness?

    /// A hold.
    public init(_ reason: Reason, since: Moment, source: FactSource? = nil, sureness: Sureness? = nil) {
        self.reason = reason
        self.since = since
        self.source = source
        self.sureness = sureness
    }

    /// A hold that stands on a fact.
    public init<Value>(_ reason: Reason, from fact: Fact<Value>) {
        self.init(reason, since: fact.since, source: fact.source, sureness: fact.sureness)
    }
}
