// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferPolicy

extension Explanation {
    /// Returns the explanation in one line for display, such as `on battery since 14:02 (UPower) — starts 10 s after
    /// you plug in`.
    public func sentence(localTime: LocalTimeRules) -> String {
        let reasons = holds.map { $0.sentence(localTime: localTime) }.joined(separator: "; ")
        let releases = near(remedies).map { $0.phrase(localTime: localTime) }
        guard !releases.isEmpty else { return reasons }
        return reasons + " — " + releases.joined(separator: ", or ")
    }

    /// Returns the explanation in one line, followed by the time at which good conditions are likely, if known.
    public func fullSentence(localTime: LocalTimeRules) -> String {
        let sentence = sentence(localTime: localTime)
        guard let chance = expectedChance else { return sentence }
        // A guess at a later time is useless if a certain start comes earlier.
        let isSureBefore = remedies.contains { if case .wait(let until) = $0 { until <= chance } else { false } }
        return isSureBefore
            ? sentence
            : sentence + "; going by past weeks, likely from \(localTime.dateAndTime(of: chance))"
    }

    /// Returns the remedies worth displaying.
    ///
    /// If another remedy exists, a date more than a day after the reasons began is left out. An example is the day on
    /// which the default policy stops waiting for AC power.
    private func near(_ remedies: [Remedy]) -> [Remedy] {
        guard remedies.count > 1, let began = holds.map(\.since.wall).max() else { return remedies }
        return remedies.filter { remedy in
            guard case .wait(let until) = remedy else { return true }
            return began.duration(to: until) <= .seconds(86_400)
        }
    }
}

extension Hold {
    /// Returns the reason in words, with its start time and source.
    public func sentence(localTime: LocalTimeRules) -> String {
        var words = reason.phrase(localTime: localTime)
        switch reason {
        case .onBattery, .batteryLow, .powerUnknown, .metered, .noNetwork, .captivePortal, .networkKind, .suspended,
            .connectionDenied, .held, .needsApp, .aboutToSleep, .aboutToShutDown:
            words += " since \(localTime.clockTime(of: since.wall))"
        case .notBefore, .outsideWindow, .settling, .waitingForSlot, .backoff, .storageLow, .rateLimited,
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
        case .batteryLow(let level, let needed): "battery at \(level) %, above \(needed) % is asked for"
        case .powerUnknown: "nobody can say whether the machine is plugged in"
        case .metered(isGuess: false): "the network is metered"
        case .metered(isGuess: true): "the network is probably metered"
        case .noNetwork: "no network"
        case .captivePortal: "the network wants a login first"
        case .networkKind(.unknown, let allowed): "the kind of network is unknown, \(allowed.phrase) is asked for"
        case .networkKind(let kind, let allowed): "on \(kind.displayName), \(allowed.phrase) is asked for"
        case .outsideWindow(let opens?): "outside its hours, which begin \(localTime.dateAndTime(of: opens))"
        case .outsideWindow(nil): "outside its hours"
        case .settling(.power, _): "plugged in just now, waiting for it to last"
        case .settling(.network, _): "the network changed just now, waiting for it to last"
        case .waitingForSlot(.global): "other transfers are under way"
        case .waitingForSlot(.host): "other transfers from the same server are under way"
        case .waitingForSlot(.app): "other transfers of its app are under way"
        case .waitingForSlot(.session): "other transfers of its session are under way"
        case .backoff(let attempt, let cause, _): "attempt \(attempt) failed: \(cause.phrase)"
        case .storageLow(let needed?, let available):
            "not enough room on disk: \(needed) bytes are needed, \(max(0, available)) may be used"
        case .storageLow(nil, let available): "not enough room on disk: \(max(0, available)) bytes may be used"
        case .suspended: "paused"
        case .connectionDenied(let denial): denial.phrase
        case .rateLimited(let delay, let relaunches, _):
            "its app was started \(relaunches == 1 ? "once" : "\(relaunches) times") for finished work: what it hands "
                + "over in the background waits \(delay.inWords)"
        case .budgetSpent(let kind, _): "the budget of \(kind.phrase) is used up"
        case .held(let holder, let why): "held by \(holder): \(why)"
        case .needsApp(.authentication): "its app has to answer a login"
        case .needsApp(.delayedBegin): "its app has to say whether it may begin"
        case .needsApp(.notRegistered): "its app has not registered again"
        case .windowTooShort(let needed, let left):
            "it needs about \(needed.inWords), and only \(left.inWords) are left of the time in which it may run"
        case .aboutToSleep: "the machine goes to sleep"
        case .aboutToShutDown: "the machine is being switched off"
        }
    }
}

extension ConnectionDenial {
    /// A phrase that describes the problem with the connection.
    fileprivate var phrase: String {
        switch self {
        case .denied(let name): "the connection \(name) may not be used for it"
        case .notAllowed(let name?): "the connection \(name) is not one of those that may be used for it"
        case .notAllowed(nil): "the connection's name is unknown, and only some may be used for it"
        case .roaming: "the mobile network is a foreign one"
        }
    }
}

extension Spending.Kind {
    /// A phrase that names the subject of the budget.
    fileprivate var phrase: String {
        switch self {
        case .meteredBytes: "metered bytes"
        case .battery: "battery"
        case .runTime: "running time of its app"
        }
    }
}

extension Remedy {
    /// Returns the remedy as a short phrase, such as `starts 10 s after you plug in`.
    public func phrase(localTime: LocalTimeRules) -> String {
        switch self {
        case .plugIn(let after): "starts \(after.phrase) you plug in"
        case .chargeAbove(let level): "starts when the battery is above \(level) %"
        case .joinUnmetered(let after): "starts \(after.phrase) the network is unmetered"
        case .joinNetwork(let after): "starts \(after.phrase) there is a network"
        case .logIn: "starts when you have logged in to the network"
        case .joinKind(let kinds, let after): "starts \(after.phrase) the machine is on \(kinds.phrase)"
        case .wait(let until): "starts \(localTime.dateAndTime(of: until))"
        case .slot: "starts when one of them ends"
        case .freeSpace(let bytes?): "starts when \(bytes) bytes have been freed"
        case .freeSpace(nil): "starts when there is room"
        case .resume: "starts when you resume it"
        case .joinAllowed(let after): "starts \(after.phrase) the machine is on a connection that may be used"
        case .openApp: "starts when its app has been opened"
        case .release(let holder): "starts when \(holder) lets it go"
        }
    }
}

extension LinkKind {
    /// The display name.
    public var displayName: String {
        switch self {
        case .ethernet: "ethernet"
        case .wifi: "Wi-Fi"
        case .cellular: "cellular"
        case .bluetooth: "Bluetooth"
        case .usbTether: "a USB phone link"
        case .other: "another kind of link"
        case .unknown: "an unknown kind of link"
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
