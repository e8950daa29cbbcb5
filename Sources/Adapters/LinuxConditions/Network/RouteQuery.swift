// SPDX-License-Identifier: Apache-2.0
import CNetlink

/// Asks the kernel which way it would take.
///
/// Sends nothing to the network.
///
/// A route cache kept up to date by events stays wrong for good after an overrun; asking anew cannot.
final class RouteQuery {
    private let socket: OpaquePointer
    private let files: DeviceFilesReader

    /// Opens a socket to the kernel; nil where that is not allowed.
    init?(files: DeviceFilesReader) {
        guard let socket = nl_socket_alloc() else { return nil }
        guard nl_connect(socket, NETLINK_ROUTE) >= 0 else {
            nl_socket_free(socket)
            return nil
        }
        self.socket = socket
        self.files = files
    }

    deinit { nl_socket_free(socket) }

    /// What the kernel says now; nil when it cannot be asked.
    func snapshot() -> NetworkSnapshot? {
        guard let links = links() else { return nil }
        // Addresses kept for documentation: they exist nowhere, so only the default route fits.
        let chosen = [chosenLink(for: "192.0.2.1", AF_INET), chosenLink(for: "2001:db8::1", AF_INET6)].compactMap(
            \.self)
        var snapshot = NetworkSnapshot(links: links, chosen: chosen)
        if snapshot.choseTunnel { snapshot.defaultRoutes = defaultRoutes() }
        return snapshot
    }

    private func links() -> [Int32: LinkDescription]? {
        // A dump is cut short when links change meanwhile; then it is asked for again.
        for _ in 0..<3 {
            var cache: OpaquePointer?
            guard rtnl_link_alloc_cache(socket, AF_UNSPEC, &cache) >= 0, let cache else { continue }
            defer { nl_cache_free(cache) }
            var links: [Int32: LinkDescription] = [:]
            var object = nl_cache_get_first(cache)
            while let current = object {
                let link = describe(current)
                links[link.index] = link
                object = nl_cache_get_next(current)
            }
            return links
        }
        return nil
    }

    private func describe(_ link: OpaquePointer) -> LinkDescription {
        let index = rtnl_link_get_ifindex(link)
        let name = rtnl_link_get_name(link).map { String(cString: $0) } ?? ""
        let kind = rtnl_link_get_type(link).map { String(cString: $0) }
        return LinkDescription(
            index: index, name: name, flags: rtnl_link_get_flags(link),
            operationalState: rtnl_link_get_operstate(link), hardwareType: rtnl_link_get_arptype(link), kind: kind,
            master: rtnl_link_get_master(link), lower: rtnl_link_get_link(link),
            files: kind == nil ? files.read(name: name, index: index) : nil)
    }

    private func chosenLink(for address: String, _ family: Int32) -> Int32? {
        var destination: OpaquePointer?
        guard nl_addr_parse(address, family, &destination) >= 0, let destination else { return nil }
        defer { nl_addr_put(destination) }
        var route: OpaquePointer?
        guard rtnl_route_lookup(socket, destination, &route) >= 0, let route else { return nil }
        defer { rtnl_route_put(route) }
        return link(of: route)
    }

    private func link(of route: OpaquePointer) -> Int32? {
        let unicast: UInt8 = 1
        guard rtnl_route_get_type(route) == unicast, let hop = rtnl_route_nexthop_n(route, 0) else { return nil }
        return rtnl_route_nh_get_ifindex(hop)
    }

    private func defaultRoutes() -> [NetworkSnapshot.DefaultRoute] {
        var cache: OpaquePointer?
        guard rtnl_route_alloc_cache(socket, AF_UNSPEC, 0, &cache) >= 0, let cache else { return [] }
        defer { nl_cache_free(cache) }
        let mainTable: UInt32 = 254
        var routes: [NetworkSnapshot.DefaultRoute] = []
        var object = nl_cache_get_first(cache)
        while let route = object {
            object = nl_cache_get_next(route)
            guard rtnl_route_get_table(route) == mainTable, let destination = rtnl_route_get_dst(route),
                nl_addr_get_prefixlen(destination) == 0, let index = link(of: route)
            else { continue }
            routes.append(NetworkSnapshot.DefaultRoute(index: index, priority: rtnl_route_get_priority(route)))
        }
        return routes
    }
}
