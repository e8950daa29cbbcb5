// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferPolicy

extension Explanation {
    /// Returns the explanation in one line for display, such as `on battery since 14:02 (UPower) — starts 10 s after
    /// you plug in`.
    public func sentence(localTime: LocalTimeRules) -> String {
        sentence(near(remedies), localTime: localTime)
    }

    private func sentence(_ remedies: [Remedy], localTime: LocalTimeRules) -> String {
        var sentence = reasons.map { self.sentence(of: $0, localTime: localTime) }.joined(separator: "; ")
        let together = joint.map { [$0.phrase(localTime: localTime)] } ?? []
        let releases = together + remedies.map { phrase(of: $0, localTime: localTime) }
        if !releases.isEmpty { sentence += " — " + releases.joined(separator: ", or ") }
        if let phrase = deadline?.phrase(localTime: localTime) { sentence += (sentence.isEmpty ? "" : "; ") + phrase }
        return sentence
    }

    /// Returns one of the reasons in words, with what only the conditions say: the power source that must be stable, and
    /// the end of the hold, unless it is a remedy.
    public func sentence(of reason: WaitReason, localTime: LocalTimeRules) -> String {
        var words = reason.sentence(localTime: localTime)
        switch reason.reason {
        case .debouncing(.power, _) where power == .battery:
            words = words.replacing("power changed", with: "on battery")
        case .debouncing(.power, _) where power == .ac: words = words.replacing("power changed", with: "on AC power")
        case .held(by: MachineHold.user, _):
            guard let endOfHold, !remedies.contains(.wait(until: endOfHold)) else { break }
            words += ", until \(localTime.dateAndTime(of: endOfHold))"
        default: break
        }
        return words
    }

    /// Returns a remedy as a phrase. The latest start before a deadline names the deadline.
    private func phrase(of remedy: Remedy, localTime: LocalTimeRules) -> String {
        let phrase = remedy.phrase(localTime: localTime)
        guard let deadline, case .wait(let until) = remedy, until == deadline.latestStart else { return phrase }
        return phrase + " at the latest, to be done by " + localTime.dateAndTime(of: deadline.date)
    }

    /// Returns the explanation in one line, followed by the time at which good conditions are likely, if known.
    public func fullSentence(localTime: LocalTimeRules) -> String {
        let sentence = predictedSentence(localTime: localTime)
        guard let chance = expectedChance else { return sentence }
        // A guess at a later time is useless if a certain start comes earlier.
        let isCertainBefore = remedies.contains { if case .wait(let until) = $0 { until <= chance } else { false } }
        return isCertainBefore
            ? sentence
            : sentence + "; based on past weeks, likely from \(localTime.dateAndTime(of: chance))"
    }

    /// Returns the explanation in one line, followed by the policy's prediction, which replaces the remedy of the same
    /// date.
    private func predictedSentence(localTime: LocalTimeRules) -> String {
        guard let outlook else { return sentence(localTime: localTime) }
        let others = near(remedies).filter { $0 != .wait(until: outlook.batteryFrom) }
        return sentence(others, localTime: localTime) + "; " + outlook.phrase(localTime: localTime)
    }

    /// Returns the remedies worth displaying.
    ///
    /// If another remedy exists, a date more than a day after the reasons began is left out. An example is the day on
    /// which the default policy stops waiting for AC power. The end of a hold is always displayed.
    private func near(_ remedies: [Remedy]) -> [Remedy] {
        guard remedies.count > 1, !remedies.contains(.release(by: MachineHold.user)),
            let began = reasons.map(\.since.wall).max()
        else { return remedies }
        return remedies.filter { remedy in
            guard case .wait(let until) = remedy, until != deadline?.latestStart else { return true }
            return began.duration(to: until) <= .seconds(86_400)
        }
    }
}

extension DeadlineOutlook {
    /// Returns the danger to the deadline as a phrase; `nil` if there is none.
    public func phrase(localTime: LocalTimeRules) -> String? {
        switch state {
        case .atRisk:
            "will probably miss its deadline, \(localTime.dateAndTime(of: date)): needs about \(estimate.need.inWords)"
        case .missed: "late: was due \(localTime.dateAndTime(of: date))"
        case nil: nil
        }
    }
}

extension WaitReason {
    /// Returns the reason in words, with its start time and source.
    public func sentence(localTime: LocalTimeRules) -> String {
        var words = reason.phrase(localTime: localTime)
        switch reason {
        case .debouncing(.power, let until):
            words = "power changed; waiting \(since.instant.duration(to: until).inWords) for stable power"
        case .held(by: MachineHold.user, let why):
            // Only one command sets such a hold, so its source says nothing more.
            return "on hold since \(localTime.clockTime(of: since.wall))" + (why.isEmpty ? "" : ": \(why)")
        case .held:
            // The holder is the source.
            return words + " since \(localTime.clockTime(of: since.wall))"
        case .onBattery, .batteryLow, .powerUnknown, .metered, .noNetwork, .captivePortal, .networkKind, .suspended,
            .connectionDenied, .needsApp, .custom, .aboutToSleep, .aboutToShutDown:
            words += " since \(localTime.clockTime(of: since.wall))"
        case .notBefore, .outsideWindow, .debouncing(.network, _), .waitingForSlot, .backoff, .retryAfter, .storageLow,
            .rateLimited, .budgetSpent, .windowTooShort, .price, .priceUnknown:
            // These reasons describe the future, so their start time is of no interest.
            break
        }
        // A condition of the user names itself.
        if let source, source != .none, source != .custom { words += " (\(source.displayName))" }
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
        case .debouncing(.power, _): "power changed; waiting for stable power"
        case .debouncing(.network, _): "network changed; waiting for a stable network"
        case .waitingForSlot(.global): "waiting for other transfers"
        case .waitingForSlot(.host): "waiting for other transfers with the same server"
        case .waitingForSlot(.app): "waiting for other transfers of the same app"
        case .waitingForSlot(.session): "waiting for other transfers of the same session"
        case .backoff(let attempt, let cause, _): "attempt \(attempt) failed: \(cause.phrase)"
        case .retryAfter(let until): "the server asked to wait until \(localTime.dateAndTime(of: until))"
        case .storageLow(let needed?, let available):
            "not enough disk space: needs \(needed.inUnits), \(available.inUnits) available"
        case .storageLow(nil, let available): "not enough disk space: \(available.inUnits) available"
        case .suspended: "paused"
        case .connectionDenied(let denial): denial.phrase
        case .rateLimited(let delay, let relaunches, _):
            "relaunch limit: the app was started \(relaunches == 1 ? "once" : "\(relaunches) times") for ended transfers; "
                + "its new background transfers wait \(delay.inWords)"
        case .budgetSpent: "the metered data budget is used up"
        case .held(by: MachineHold.user, let why): why.isEmpty ? "on hold" : "on hold: \(why)"
        case .held(let holder, let why): "held by \(holder): \(why)"
        case .needsApp(.authentication): "the server requires a login; the app must answer"
        case .needsApp(.delayedBegin): "the app must decide whether the transfer begins"
        case .needsApp(.notRegistered): "the app must open its session again"
        case .windowTooShort(let needed, let left):
            "needs about \(needed.inWords); the time window closes in \(left.inWords)"
        case .price(let price, let limit?, let until?, _):
            "waits until \(localTime.dateAndTime(of: until)), when the price falls below \(limit); now \(price)"
        case .price(let price, let limit?, nil, let end):
            "the price is \(price); no known price until \(localTime.dateAndTime(of: end)) is below \(limit)"
        case .price(let price, nil, let until?, _):
            "waits until \(localTime.dateAndTime(of: until)) for a lower price; now \(price)"
        case .price(let price, nil, nil, _): "waits for a lower price; now \(price)"
        case .priceUnknown(let end?):
            "the price is unknown: the price curve has no price now and ends \(localTime.dateAndTime(of: end))"
        case .priceUnknown(nil): "the price is unknown: there is no price curve"
        case .custom(_, _, let sentence?): sentence
        case .custom(let constraint, let value?, nil): "\(constraint.name) is \(value)"
        case .custom(let constraint, nil, nil): "\(constraint.name) is unknown"
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

extension PowerOutlook {
    /// Returns the prediction as a phrase, such as `waits for AC until Thu 14:10, then battery will do: this machine can
    /// be without Wi-Fi for up to 31 h`.
    public func phrase(localTime: LocalTimeRules) -> String {
        let reason =
            switch basis {
            case .reserved: "the time until then is reserved for AC power"
            case .absence(let longest) where longest > .zero:
                "this machine can be without Wi-Fi for up to \(longest.inWords)"
            case .absence, .need: "a longer wait could miss the deadline"
            }
        return "waits for AC until \(localTime.dateAndTime(of: batteryFrom)), then battery will do: \(reason)"
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
    var phrase: String { kinds.map(\.displayName).joined(separator: " or ") }
}
