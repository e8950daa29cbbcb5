// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The kernel's replies to one query of the network path.
struct NetworkSnapshot: Hashable, Sendable, Codable {
    /// A default route of any table except the local one.
    struct DefaultRoute: Hashable, Sendable, Codable {
        /// The routing table of a machine without custom routing rules.
        static let mainTable: UInt32 = 254

        var index: Int32
        var priority: UInt32
        /// The address family (`AF_INET`, `AF_INET6`).
        var family: Int32 = 2
        var table = mainTable
    }

    /// All interfaces, by index.
    @LinksByIndex var links: [Int32: LinkDescription]
    /// The interfaces that the kernel chose for IPv4 and IPv6, in this order.
    var chosen: [Int32]
    /// The default routes. Queried only if the kernel chose a tunnel.
    var defaultRoutes: [DefaultRoute] = []
    /// The interfaces that the kernel would choose for packets with a mark that a routing rule names, such as
    /// WireGuard's own packets. Queried only if the kernel chose a tunnel.
    var chosenForMarks: [Int32] = []

    /// Whether the kernel chose a tunnel, so that `defaultRoutes` and `chosenForMarks` are needed.
    var choseTunnel: Bool {
        chosen.contains { index in
            links[index].map { role(under: $0) == .tunnel } ?? false
        }
    }

    /// The path that the kernel would choose; `nil` if there is none.
    var path: NetworkPath? {
        let paths = chosen.compactMap { index -> NetworkPath? in
            guard let link = links[index], link.canCarry else { return nil }
            return path(over: link)
        }
        // If IPv4 and IPv6 take different paths, the more costly one counts.
        return paths.reduce(nil) { best, path in
            guard let best, best.kind.costRank >= path.kind.costRank else { return path }
            return best
        }
    }

    private func path(over link: LinkDescription) -> NetworkPath? {
        var path = pathWithoutCarrierChanges(over: link)
        let changes = path?.devices.compactMap { links[$0.index]?.carrierChanges } ?? []
        path?.carrierChanges = changes.reduce(0) { $0 + UInt64($1) }
        return path
    }

    private func pathWithoutCarrierChanges(over link: LinkDescription) -> NetworkPath? {
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
        // Only the tunnel's owner knows which of the links its packets take, so the most costly one counts.
        guard let carrier = carriers.reduce(nil, Carrier.costlier) else { return nil }
        path.kind = carrier.kind
        path.below = carrier.devices
        return path
    }

    /// The links over which a tunnel's packets may leave. These are the links that rules choose for marked packets,
    /// and each family's best default route. The default routes come from the main table, or from the other tables if
    /// the main table has none.
    private var linksUnderTunnels: [LinkDescription] {
        func firsts(_ routes: [DefaultRoute]) -> [LinkDescription] {
            let usable = routes.sorted { $0.priority < $1.priority }.compactMap { route in
                links[route.index].map { (route: route, link: $0) }
            }.filter { role(under: $0.link) != .tunnel && !$0.link.isLoopback }
            var seen: Set<[UInt32]> = []
            // Links without a carrier go last: the program that maintains the routes moves to the next link a little
            // later.
            let inOrder = usable.filter(\.link.canCarry) + usable.filter { !$0.link.canCarry }
            return inOrder.filter { seen.insert([UInt32($0.route.family), $0.route.table]).inserted }.map(\.link)
        }
        let marked = chosenForMarks.compactMap { links[$0] }.filter { role(under: $0) != .tunnel && !$0.isLoopback }
        let main = firsts(defaultRoutes.filter { $0.table == DefaultRoute.mainTable })
        let under = marked + main
        return under.isEmpty ? firsts(defaultRoutes) : under
    }

    /// The link that ultimately carries the traffic of another link, and the path down to it.
    private struct Carrier {
        var kind: LinkKind
        var isGuess: Bool
        /// The devices from the link itself to the carrier.
        var devices: [NetworkPath.Device]

        static func costlier(_ best: Carrier?, _ next: Carrier) -> Carrier {
            guard let best, best.kind.costRank >= next.kind.costRank else { return next }
            return best
        }
    }

    /// Returns the role of a link among the links of this snapshot.
    ///
    /// The packets of a tunnel that is bound to a link leave over that link.
    private func role(of link: LinkDescription) -> LinkRole {
        let role = LinkRole(of: link)
        guard role == .tunnel, link.lower != link.index, let lower = links[link.lower], !lower.isLoopback else {
            return role
        }
        return .lower
    }

    /// Returns the role at the bottom of a stack of links, such as VLANs.
    private func role(under link: LinkDescription) -> LinkRole {
        var link = link
        for _ in 0..<8 {
            let role = role(of: link)
            guard role == .lower, let lower = links[link.lower] else { return role }
            link = lower
        }
        return .carrier(.unknown, isGuess: true)
    }

    /// - Parameter depth: The depth of the recursion, which ends a loop of links. No kernel builds such a loop.
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
            // A virtual machine's tap next to the cable does not lead out of the machine.
            let carriers = (carrying.isEmpty ? members : carrying).filter { LinkRole(of: $0) != .tunnel }
                .map { self.carrier(of: $0, depth: depth + 1) }
            let costliest = carriers.reduce(nil, Carrier.costlier)
            return costliest.map(below) ?? Carrier(kind: .ethernet, isGuess: true, devices: own)
        }
    }
}

/// A dictionary of interfaces by index, encoded as a list in the order of the indices.
@propertyWrapper
struct LinksByIndex: Hashable, Sendable, Codable {
    var wrappedValue: [Int32: LinkDescription]

    init(wrappedValue: [Int32: LinkDescription]) { self.wrappedValue = wrappedValue }

    init(from decoder: any Decoder) throws {
        wrappedValue = Dictionary(try [LinkDescription](from: decoder).map { ($0.index, $0) }) { $1 }
    }

    func encode(to encoder: any Encoder) throws {
        try wrappedValue.values.sorted { $0.index < $1.index }.encode(to: encoder)
    }
}

/// The path to the internet that the kernel would currently choose.
struct NetworkPath: Hashable, Sendable {
    /// An interface on the path.
    struct Device: Hashable, Sendable {
        var name: String
        var index: Int32
    }

    /// The name of the default route's interface.
    var interface: String
    /// The kind of the link that ultimately carries the traffic.
    var kind: LinkKind
    /// Whether `kind` was inferred: through a tunnel, or from a driver that serves several kinds.
    var isKindGuessed = false
    /// The index of the default route's interface.
    var index: Int32 = 0
    /// Whether the default route's interface is a tunnel.
    var isTunnel = false
    /// The links below the interface, from the next one to the one that carries the traffic. Empty if the interface
    /// itself carries the traffic.
    var below: [Device] = []

    /// The number of carrier changes on the path. After a change, a link of the same name may lead to another network.
    var carrierChanges: UInt64 = 0

    /// The interface and all links below it.
    var devices: [Device] { [Device(name: interface, index: index)] + below }
}
