// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

/// The way to the internet that the kernel would take now.
struct NetworkPath: Hashable, Sendable {
    /// The interface of the default route.
    var interface: String
    /// What carries the bytes in the end.
    var kind: LinkKind
    /// Whether `kind` was concluded: through a tunnel, or from a driver that serves several kinds.
    var isKindGuessed = false

    /// Whether going from `former` to `path` must count at once: nothing is left, or bytes begin to cost.
    static func isUrgent(from former: NetworkPath?, to path: NetworkPath?) -> Bool {
        guard let former else { return false }
        guard let path else { return true }
        return former.kind.tendsToBeFree && !path.kind.tendsToBeFree
    }
}

/// What the kernel answered, for one look at the path.
struct NetworkSnapshot: Hashable, Sendable {
    /// A default route of the main table.
    struct DefaultRoute: Hashable, Sendable {
        var index: Int32
        var priority: UInt32
    }

    /// All interfaces by index.
    var links: [Int32: LinkDescription]
    /// The interfaces that the kernel chose for IPv4 and IPv6, in this order.
    var chosen: [Int32]
    /// The main table's default routes; asked for only where a tunnel was chosen.
    var defaultRoutes: [DefaultRoute] = []

    /// Whether `defaultRoutes` matters.
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
        guard role(under: link) == .tunnel else {
            let (kind, isGuess) = kind(of: link, depth: 0)
            return NetworkPath(interface: link.name, kind: kind, isKindGuessed: isGuess)
        }
        let under = defaultRoutes.sorted { $0.priority < $1.priority }.compactMap { links[$0.index] }
            .filter { role(under: $0) != .tunnel }
        guard !under.isEmpty else { return NetworkPath(interface: link.name, kind: .unknown, isKindGuessed: true) }
        guard let carrier = under.first(where: \.canCarry) else { return nil }
        return NetworkPath(interface: link.name, kind: kind(of: carrier, depth: 0).kind, isKindGuessed: true)
    }

    /// The role at the bottom of a stack of VLANs and the like.
    private func role(under link: LinkDescription) -> LinkRole {
        var link = link
        for _ in 0..<8 {
            let role = LinkRole(of: link)
            guard role == .lower, let lower = links[link.lower] else { return role }
            link = lower
        }
        return .carrier(.unknown, isGuess: true)
    }

    /// The kind of what carries the bytes; `depth` ends a loop of links, which no kernel builds.
    private func kind(of link: LinkDescription, depth: Int) -> (kind: LinkKind, isGuess: Bool) {
        guard depth < 8 else { return (.unknown, true) }
        switch LinkRole(of: link) {
        case .carrier(let kind, let isGuess): return (kind, isGuess)
        case .tunnel: return (.unknown, true)
        case .lower:
            guard let lower = links[link.lower] else { return (.unknown, true) }
            return kind(of: lower, depth: depth + 1)
        case .members:
            let members = links.values.filter { $0.master == link.index }.sorted { $0.index < $1.index }
            let carrying = members.filter(\.canCarry)
            // A virtual machine's tap beside the cable does not lead out.
            let kinds = (carrying.isEmpty ? members : carrying).filter { LinkRole(of: $0) != .tunnel }
                .map { kind(of: $0, depth: depth + 1) }
            return kinds.max { $0.kind.dearness < $1.kind.dearness } ?? (.ethernet, true)
        }
    }
}
