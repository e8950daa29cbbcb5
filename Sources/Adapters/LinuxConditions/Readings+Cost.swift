// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension Readings {
    private typealias Price = ConditionsMerger.ObservedValue<Metered>

    /// Returns the metered state of a kind of link, and the disagreements between the sources.
    ///
    /// An override by the user has precedence. A definite statement about the connection comes next, then the more
    /// costly of the guesses.
    func price(
        over kind: LinkKind
    ) -> (metered: ConditionsMerger.ObservedValue<Metered>, disagreements: [String]) {
        if let setting = overrideSetting {
            return (Price(value: setting == .yes ? .yes : .no, source: .override, confidence: .reported), [])
        }
        // NetworkManager's value, or the portal's if NetworkManager has none.
        var reported: Price?
        switch metered {
        case .yes, .no: return (Price(value: metered ?? .unknown, source: .networkManager, confidence: .reported), [])
        case .guessYes, .guessNo:
            reported = Price(value: metered ?? .unknown, source: .networkManager, confidence: .guessed)
        case .unknown, nil:
            if let setting = portal.value?.metered, setting != .unknown {
                reported = Price(value: setting, source: .portal, confidence: .guessed)
            }
        }
        if reported?.value == .guessYes, let reported { return (reported, []) }
        let costlier: Price? =
            isLeaseMetered
            ? Price(value: .guessYes, source: .dhcp, confidence: .guessed)
            : isCostly(kind, to: reported) ? Price(value: .guessYes, source: .rule, confidence: .guessed) : nil
        guard let costlier else { return (reported ?? Price(value: .unknown, source: .rule, confidence: .assumed), []) }
        guard let reported else { return (costlier, []) }
        let reason =
            costlier.source == .dhcp ? "the DHCP lease says that it is metered" : "\(kind.rawValue) tends to be metered"
        return (
            costlier,
            ["\(reported.source.displayName) guesses that the network is free, \(reason); taken as metered"]
        )
    }

    /// Returns whether the kind of link alone suggests that traffic costs money, given the value reported by a
    /// service.
    private func isCostly(_ kind: LinkKind, to reported: ConditionsMerger.ObservedValue<Metered>?) -> Bool {
        switch kind {
        case .cellular, .bluetooth: return true
        case .usbTether:
            // Docks are of this kind as well, so NetworkManager's guess counts, unless the guess is about a tunnel
            // above the link. The portal's value does not count, because the portal reports "free" if the cost is
            // unknown.
            guard let reported, reported.source == .networkManager else { return true }
            return path.value.flatMap(\.self)?.isTunnel ?? false
        case .ethernet, .wifi, .other, .unknown: return false
        }
    }

    /// The user's override for the current connection.
    private var overrideSetting: ConnectionOverrides.Setting? {
        let devices = path.value.flatMap(\.self)?.devices ?? []
        return overrides.setting(connection: networkManager.value?.connectionID, devices: devices)
    }

    /// Returns the roaming state of the mobile network.
    func roaming(over kind: ConditionsMerger.ObservedValue<LinkKind>) -> ConditionsMerger.ObservedValue<Roaming> {
        switch kind.value {
        case .cellular:
            let device = path.value.flatMap(\.self)?.devices.last?.name
            guard let modems = modems.value, !modems.isEmpty else { break }
            let roaming = ModemReading.roaming(over: device, of: modems)
            return .init(value: roaming, source: .modemManager, confidence: roaming == .unknown ? .assumed : .reported)
        case .ethernet, .wifi: return .init(value: .no, source: kind.source, confidence: kind.confidence)
        // The phone at the other end may be roaming, and no source here can tell.
        case .bluetooth, .usbTether, .other, .unknown: break
        }
        return .init(value: .unknown, source: .none, confidence: .assumed)
    }
}
