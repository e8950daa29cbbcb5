// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension Readings {
    private typealias Price = ConditionsMerger.Finding<Metered>

    /// Returns whether traffic over a kind of link costs money, and the disagreements between the sources.
    ///
    /// An override by the user has precedence. A definite statement about the connection comes next, then the more
    /// costly of the guesses.
    func price(
        over kind: LinkKind
    ) -> (metered: ConditionsMerger.Finding<Metered>, disagreements: [String]) {
        if let word = overrideWord {
            return (Price(value: word == .yes ? .yes : .no, source: .override, sureness: .reported), [])
        }
        // NetworkManager's value, or the portal's if NetworkManager has none.
        var said: Price?
        switch metered {
        case .yes, .no: return (Price(value: metered ?? .unknown, source: .networkManager, sureness: .reported), [])
        case .guessYes, .guessNo:
            said = Price(value: metered ?? .unknown, source: .networkManager, sureness: .guessed)
        case .unknown, nil:
            if let word = portal.value?.metered, word != .unknown {
                said = Price(value: word, source: .portal, sureness: .guessed)
            }
        }
        if said?.value == .guessYes, let said { return (said, []) }
        let dearer: Price? =
            doesLeaseSayMetered
            ? Price(value: .guessYes, source: .dhcp, sureness: .guessed)
            : isDear(kind, to: said) ? Price(value: .guessYes, source: .rule, sureness: .guessed) : nil
        guard let dearer else { return (said ?? Price(value: .unknown, source: .rule, sureness: .assumed), []) }
        guard let said else { return (dearer, []) }
        let reason =
            dearer.source == .dhcp ? "the DHCP lease says that it is metered" : "\(kind.rawValue) tends to be metered"
        return (
            dearer,
            ["\(said.source.displayName) guesses that the network is free, \(reason); taken as metered"]
        )
    }

    /// Returns whether the kind of link alone suggests that traffic costs money, given the value reported by a
    /// service.
    private func isDear(_ kind: LinkKind, to said: ConditionsMerger.Finding<Metered>?) -> Bool {
        switch kind {
        case .cellular, .bluetooth: return true
        case .usbTether:
            // Docks are of this kind as well, so NetworkManager's guess counts, unless the guess is about a tunnel
            // above the link. The portal's value does not count, because the portal reports "free" if the cost is
            // unknown.
            guard let said, said.source == .networkManager else { return true }
            return path.value.flatMap(\.self)?.isTunnel ?? false
        case .ethernet, .wifi, .other, .unknown: return false
        }
    }

    /// The user's override for the current connection.
    private var overrideWord: ConnectionOverrides.Word? {
        let devices = path.value.flatMap(\.self)?.devices ?? []
        return overrides.word(connection: networkManager.value?.connectionID, devices: devices)
    }

    /// Returns whether the mobile network is a foreign one.
    func roaming(over kind: ConditionsMerger.Finding<LinkKind>) -> ConditionsMerger.Finding<Roaming> {
        switch kind.value {
        case .cellular:
            let device = path.value.flatMap(\.self)?.devices.last?.name
            guard let modems = modems.value, !modems.isEmpty else { break }
            let roaming = ModemReading.roaming(over: device, of: modems)
            return .init(value: roaming, source: .modemManager, sureness: roaming == .unknown ? .assumed : .reported)
        case .ethernet, .wifi: return .init(value: .no, source: kind.source, sureness: kind.sureness)
        // The phone at the other end may be roaming, and no source here can tell.
        case .bluetooth, .usbTether, .other, .unknown: break
        }
        return .init(value: .unknown, source: .none, sureness: .assumed)
    }
}
