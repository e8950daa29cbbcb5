// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension Readings {
    private typealias Price = ConditionsMerger.Finding<Metered>

    /// Whether bytes cost, given what carries them, and where the sources disagree about that.
    ///
    /// A person's override counts before all; then what was said of the connection for sure, then the dearer of the
    /// guesses.
    func price(
        over kind: LinkKind
    ) -> (metered: ConditionsMerger.Finding<Metered>, disagreements: [String]) {
        if let word = overrideWord {
            return (Price(value: word == .yes ? .yes : .no, source: .override, sureness: .reported), [])
        }
        // NetworkManager's, or the portal's where it gives none.
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

    /// Whether a kind of link alone makes bytes dear, beside what was said.
    private func isDear(_ kind: LinkKind, to said: ConditionsMerger.Finding<Metered>?) -> Bool {
        switch kind {
        case .cellular, .bluetooth: return true
        case .usbTether:
            // Docks are of this kind as well, so that NetworkManager's guess counts; not one about a tunnel above it,
            // and not the portal's, which says "free" where nobody knows.
            guard let said, said.source == .networkManager else { return true }
            return path.value.flatMap(\.self)?.isTunnel ?? false
        case .ethernet, .wifi, .other, .unknown: return false
        }
    }

    /// A person's word on the connection in use.
    private var overrideWord: ConnectionOverrides.Word? {
        let devices = path.value.flatMap(\.self)?.devices ?? []
        return overrides.word(connection: networkManager.value?.connectionID, devices: devices)
    }

    /// Whether the mobile network is a foreign one.
    func roaming(over kind: ConditionsMerger.Finding<LinkKind>) -> ConditionsMerger.Finding<Roaming> {
        switch kind.value {
        case .cellular:
            let device = path.value.flatMap(\.self)?.devices.last?.name
            guard let modems = modems.value, !modems.isEmpty else { break }
            let roaming = ModemReading.roaming(over: device, of: modems)
            return .init(value: roaming, source: .modemManager, sureness: roaming == .unknown ? .assumed : .reported)
        case .ethernet, .wifi: return .init(value: .no, source: kind.source, sureness: kind.sureness)
        // A phone at the other end may roam, and nobody here can tell.
        case .bluetooth, .usbTether, .other, .unknown: break
        }
        return .init(value: .unknown, source: .none, sureness: .assumed)
    }
}
