// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferPolicy

extension Explanation {
    /// Returns the explanation in one line for display, such as `on battery since 14:02 (UPower) — starts 10 s after
    /// you plug in`.
    public func sentence(localTime: LocalTimeRules) -> String {
        let sentences = reasons.map { $0.sentence(localTime: localTime) }.joined(separator: "; ")
        let releases = near(remedies).map { $0.phrase(localTime: localTime) }
        guard !releases.isEmpty else { return sentences }
        return sentences + " — " + releases.joined(separator: ", or ")
    }

    /// Returns the explanation in one line, followed by the time at which good conditions are likely, if known.
    public func fullSentence(localTime: LocalTimeRules) -> String {
        let sentence = sentence(localTime: localTime)
        guard let chance = expectedChance else { return sentence }
        // A guess at a later time is useless if a certain start comes earlier.
        let isCertainBefore = remedies.contains { if case .wait(let until) = $0 { until <= chance } else { false } }
        return isCertainBefore
            ? sentence
            : sentence + "; based on past weeks, likely from \(localTime.dateAndTime(of: chance))"
    }

    /// Returns the remedies worth displaying.
    ///
    /// If another remedy exists, a date more than a day after the reasons began is left out. An example is the day on
    /// which the default policy stops waiting for AC power.
    private func near(_ remedies: [Remedy]) -> [Remedy] {
        guard remedies.count > 1, let began = reasons.map(\.since.wall).max() else { return remedies }
        return remedies.filter { remedy in
            guard case .wait(let until) = remedy else { return true }
            return began.duration(to: until) <= .seconds(86_400)
        }
    }
}

extension WaitReason {
    /// Returns the reason in words, with its start time and source.
    public func sentence(localTime: LocalTimeRules) -> String {
        var words = reason.phrase(localTime: localTime)
        switch reason {
        case .onBattery, .batteryLow, .powerUnknown, .metered, .noNetwork, .captivePortal, .networkKind, .suspended,
            .connectionDenied, .held, .needsApp, .aboutToSleep, .aboutToShutDown:
            words += " since \(localTime.clockTime(of: since.wall))"
        case .notBefore, .outsideWindow, .debouncing, .waitingForSlot, .backoff, .storageLow, .rateLimited,
            .budgetSpent, .windowTooShort:
            // These reasons describe the future, so their start time is of no interest.
            break
        }
        if let source, source != .none { words += " (\(source.displayName))" }
        return words
    }
}

extension Reason {
    /// Returns the reason as a short phrase for display, with times in local time.
    public func phrase(localTime: LocalTimeRules) -> String {
        switch self {
        case .notBefore(let date): "not before \(localTime.dateAndTime(of: date))"
        case .onBattery(let level?): "on battery (\(level) %)"
        case .onBattery(nil): "on battery"
        case .batteryLow(let level, let needed): "needs a charge above \(needed) %; the battery is at \(level) %"
        case .powerUnknown: "unknown whether the machine is on AC power"
        case .metered(isGuess: false): "the network is metered"
        case .metered(isGuess: true): "the network is probably metered"
        case .noNetwork: "no network"
        case .captivePortal: "the network requires a login"
        case .networkKind(.unknown, let allowed): "needs \(allowed.phrase); kind of network unknown"
        case .networkKind(let kind, let allowed): "needs \(allowed.phrase); on \(kind.displayName)"
        case .outsideWindow(let opens?): "outside the time window until \(localTime.dateAndTime(of: opens))"
        case .outsideWindow(nil): "outside the time window"
        case .debouncing(.power, _): "on AC power; waiting for stable power"
        case .debouncing(.network, _): "network changed; waiting for a stable network"
        case .waitingForSlot(.global): "waiting for other transfers"
        case .waitingForSlot(.host): "waiting for other transfers with the same server"
        case .waitingForSlot(.app): "waiting for other transfers of the same app"
        case .waitingForSlot(.session): "waiting for other transfers of the same session"
        case .backoff(let attempt, let cause, _): "attempt \(attempt) failed: \(cause.phrase)"
        case .storageLow(let needed?, let available):
            "not enough disk space: needs \(needed) bytes, \(max(0, available)) bytes available"
        case .storageLow(nil, let available): "not enough disk space: \(max(0, available)) bytes available"
        case .suspended: "paused"
        case .connectionDenied(let denial): denial.phrase
        case .rateLimited(let delay, let relaunches, _):
            "relaunch limit: the app was started \(relaunches == 1 ? "once" : "\(relaunches) times") for ended transfers; "
                + "its new background transfers wait \(delay.inWords)"
        case .budgetSpent(let kind, _): "\(kind.phrase) is used up"
        case .held(by: "the batch policy", why: let why): "\(why) (policy batch)"
        case .held(let holder, let why): "held by \(holder): \(why)"
        case .needsApp(.authentication): "the server requires a login; the app must answer"
        case .needsApp(.delayedBegin): "the app must decide whether the transfer begins"
        case .needsApp(.notRegistered): "the app must open its session again"
        case .windowTooShort(let needed, let left):
            "needs about \(needed.inWords); the time window closes in \(left.inWords)"
        case .aboutToSleep: "the machine is going to sleep"
        case .aboutToShutDown: "the machine is shutting down"
        }
    }
}

extension ConnectionDenial {
    /// A phrase that describes the problem with the connection.
    fileprivate var phrase: String {
        switch self {
        case .denied(let name): "connection '\(name)' is excluded"
        case .notAllowed(let name?): "connection '\(name)' is not in the list of allowed connections"
        case .notAllowed(nil): "connection name unknown; only listed connections are allowed"
        case .roaming: "this transfer may not roam; the machine is roaming"
        }
    }
}

extension Spending.Kind {
    /// The name of the budget.
    fileprivate var phrase: String {
        switch self {
        case .meteredBytes: "the metered data budget"
        case .battery: "the battery budget"
        case .runTime: "the app's run-time budget"
        }
    }
}

extension Remedy {
    /// Returns the remedy as a short phrase, such as `starts 10 s after you plug in`.
    public func phrase(localTime: LocalTimeRules) -> String {
        switch self {
        case .plugIn(let after): "starts \(after.phrase) you plug in"
        case .chargeAbove(let level): "starts when the battery charge is above \(level) %"
        case .joinUnmetered(let after): "starts \(after.phrase) you join an unmetered network"
        case .joinNetwork(let after): "starts \(after.phrase) a network becomes available"
        case .logIn: "starts after you log in to the network"
        case .joinKind(let kinds, let after): "starts \(after.phrase) the machine joins \(kinds.phrase)"
        case .wait(let until): "starts \(localTime.dateAndTime(of: until))"
        case .slot: "starts when another transfer ends"
        case .freeSpace(let bytes?): "starts after \(bytes) bytes are freed"
        case .freeSpace(nil): "starts when disk space becomes available"
        case .resume: "starts after you resume it"
        case .joinAllowed(let after): "starts \(after.phrase) the machine joins an allowed connection"
        case .openApp: "starts after you open the app"
        case .release(let holder): "starts after \(holder) releases it"
        }
    }
}

extension LinkKind {
    /// The display name.
    public var displayName: String {
        switch self {
        case .ethernet: "Ethernet"
        case .wifi: "Wi-Fi"
        case .cellular: "cellular"
        case .bluetooth: "Bluetooth"
        case .usbTether: "USB tethering"
        case .other: "another kind of network"
        case .unknown: "an unknown kind of network"
        }
    }
}

extension LinkKinds {
    /// The kinds joined by "or".
    fileprivate var phrase: String { kinds.map(\.displayName).joined(separator: " or ") }
}

extension Duration {
    /// `45 s`, `12 min`, `6 h`: whole units, rounded to the nearest.
    fileprivate var inWords: String {
        let seconds = Swift.max(0, wholeNanoseconds / 1_000_000_000)
        if seconds < 120 { return "\(seconds) s" }
        return seconds < 7200 ? "\((seconds + 30) / 60) min" : "\((seconds / 60 + 30) / 60) h"
    }

    /// `10 s after`, or `as soon as` if the duration is zero.
    fileprivate var phrase: String {
        self == .zero ? "as soon as" : "\(wholeNanoseconds / 1_000_000_000) s after"
    }
}
