// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What the kernel answered, for one look at the path.
struct NetworkSnapshot: Hashable, Sendable, Codable {
    /// A default route of any table but the local one.
    struct DefaultRoute: Hashable, Sendable, Codable {
        /// The table that a machine without rules of its own uses.
        static let mainTable: UInt32 = 254

        var index: Int32
        var priority: UInt32
        /// The address family (`AF_INET`, `AF_INET6`).
        var family: Int32 = 2
        var table = mainTable
    }

    /// All interfaces by index.
    @LinksByIndex var links: [Int32: LinkDescription]
    /// The interfaces that the kernel chose for IPv4 and IPv6, in this order.
    var chosen: [Int32]
    /// The default routes; asked for only where a tunnel was chosen.
    var defaultRoutes: [DefaultRoute] = []
    /// The interfaces that the kernel would choose for packets with a mark that some rule names, such as those of
    /// WireGuard itself; asked for only where a tunnel was chosen.
    var chosenForMarks: [Int32] = []

    /// Whether `defaultRoutes` and `chosenForMarks` matter.
    var choseTunnel: Bool {
        chosen.contains { index in
            links[index].map { role(under: $0) == .tunnel } ?? false
        }
    }

    /// The way the kernel would take; nil when there is none.
    var path: NetworkPath? {
        let paths = chosen.compactMap { index -> NetworkPath? in
            guard let link = links[index], link.canCarry else { return nil }
            return path(over: link)
        }
        // Where IPv4 and IPv6 go different ways, the dearer one counts.
        return paths.reduce(nil) { best, path in
            guard let best, best.kind.dearness >= path.kind.dearness else { return path }
            return best
        }
    }

    private func path(over link: LinkDescription) -> NetworkPath? {
        var path = undatedPath(over: link)
        let changes = path?.devices.compactMap { links[$0.index]?.carrierChanges } ?? []
        path?.carrierChanges = changes.reduce(0) { $0 + UInt64($1) }
        return path
    }

    private func undatedPath(over link: LinkDescription) -> NetworkPath? {
        var path = NetworkPath(interface: link.name, kind: .unknown, isKindGuessed: true, index: link.index)
        guard role(under: link) == .tunnel else {
            let carrier = carrier(of: link, depth: 0)
            (path.kind, path.isKindGuessed) = (carrier.kind, carrier.isGuess)
            path.below = Array(carrier.devices.dropFirst())
            return path
        }
        path.isTunnel = true
        let under = linksUnderTunnels
        guard !under.isEmpty else { return path }
        let carriers = under.filter(\.canCarry).map { carrier(of: $0, depth: 0) }
        // Which of them the tunnel's packets take only its owner knows: the dearest counts.
        guard let carrier = carriers.reduce(nil, Carrier.dearer) else { return nil }
        path.kind = carrier.kind
        path.below = carrier.devices
        return path
    }

    /// Where the packets of a tunnel may leave: what rules send marked packets to, and each family's best default route,
    /// of the main table or, where it has none, of the others.
    private var linksUnderTunnels: [LinkDescription] {
        func firsts(_ routes: [DefaultRoute]) -> [LinkDescription] {
            let usable = routes.sorted { $0.priority < $1.priority }.compactMap { route in
                links[route.index].map { (route: route, link: $0) }
            }.filter { role(under: $0.link) != .tunnel && !$0.link.isLoopback }
            var seen: Set<[UInt32]> = []
            // One without a carrier is left for the next by whoever keeps the routes, a little later.
            let inOrder = usable.filter(\.link.canCarry) + usable.filter { !$0.link.canCarry }
            return inOrder.filter { seen.insert([UInt32($0.route.family), $0.route.table]).inserted }.map(\.link)
        }
        let marked = chosenForMarks.compactMap { links[$0] }.filter { role(under: $0) != .tunnel && !$0.isLoopback }
        let main = firsts(defaultRoutes.filter { $0.table == DefaultRoute.mainTable })
        let under = marked + main
        return under.isEmpty ? firsts(defaultRoutes) : under
    }

    /// What carries the bytes of a link in the end, and the way down to it.
    private struct Carrier {
        var kind: LinkKind
        var isGuess: Bool
        /// From the link itself to what carries.
        var devices: [NetworkPath.Device]

        static func dearer(_ best: Carrier?, _ next: Carrier) -> Carrier {
            guard let best, best.kind.dearness >= next.kind.dearness else { return next }
            return best
        }
    }

    /// A link's role among these links.
    ///
    /// A tunnel that is bound to a link leaves over that one.
    private func role(of link: LinkDescription) -> LinkRole {
        let role = LinkRole(of: link)
        guard role == .tunnel, link.lower != link.index, let lower = links[link.lower], !lower.isLoopback else {
            return role
        }
        return .lower
    }

    /// The role at the bottom of a stack of VLANs and the like.
    private func role(under link: LinkDescription) -> LinkRole {
        var link = link
        for _ in 0..<8 {
            let role = role(of: link)
            guard role == .lower, let lower = links[link.lower] else { return role }
            link = lower
        }
        return .carrier(.unknown, isGuess: true)
    }

    /// `depth` ends a loop of links, which no kernel builds.
    private func carrier(of link: LinkDescription, depth: Int) -> Carrier {
        let own = [NetworkPath.Device(name: link.name, index: link.index)]
        let unknown = Carrier(kind: .unknown, isGuess: true, devices: own)
        guard depth < 8 else { return unknown }
        func below(_ carrier: Carrier) -> Carrier {
            Carrier(kind: carrier.kind, isGuess: carrier.isGuess, devices: own + carrier.devices)
        }
        switch role(of: link) {
        case .carrier(let kind, let isGuess): return Carrier(kind: kind, isGuess: isGuess, devices: own)
        case .tunnel: return unknown
        case .lower:
            guard let lower = links[link.lower] else { return unknown }
            return below(self.carrier(of: lower, depth: depth + 1))
        case .members:
            let members = links.values.filter { $0.master == link.index }.sorted { $0.index < $1.index }
            let carrying = members.filter(\.canCarry)
            // A virtual machine's tap beside the cable does not lead out.
            let carriers = (carrying.isEmpty ? members : carrying).filter { LinkRole(of: $0) != .tunnel }
                .map { self.carrier(of: $0, depth: depth + 1) }
            let dearest = carriers.reduce(nil, Carrier.dearer)
            return dearest.map(below) ?? Carrier(kind: .ethernet, isGuess: true, devices: own)
        }
    }
}
