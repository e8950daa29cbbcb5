// SPDX-License-Identifier: Apache-2.0
import CNetlink

/// Queries the kernel for the path that it would choose, without sending anything to the network.
///
/// Each query starts from scratch. A route cache that events keep up to date would stay wrong after an overrun.
final class RouteQuery {
    /// Addresses reserved for documentation. No host has these addresses, so only a default route matches.
    private static let nowhere: [(family: Int32, address: [UInt8])] = [
        (AF_INET, [192, 0, 2, 1]), (AF_INET6, [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
    ]

    private let socket: OpaquePointer
    private let files: DeviceFilesReader
    private let wireless = WirelessQuery()
    private let marked = MarkedRouteQuery()

    /// Opens a socket to the kernel; `nil` if the kernel does not allow it.
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

    /// Returns the current state of the network; `nil` if the kernel cannot be queried.
    func snapshot() -> NetworkSnapshot? {
        guard var links = links() else { return nil }
        let devices = links.values.filter { $0.kind == nil && !$0.isLoopback && $0.files?.isWireless != true }
        for index in wireless?.wireless(among: Set(devices.map(\.index))) ?? [] { links[index]?.isWireless = true }
        var snapshot = NetworkSnapshot(links: links, chosen: Self.nowhere.compactMap(chosenLink))
        if snapshot.choseTunnel {
            snapshot.defaultRoutes = defaultRoutes()
            snapshot.chosenForMarks = marked?.links(to: Self.nowhere) ?? []
        }
        return snapshot
    }

    private func links() -> [Int32: LinkDescription]? {
        // A dump is cut short if links change during it, and is then repeated.
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
        var otherNamespace: Int32 = 0
        let isLowerElsewhere = rtnl_link_get_link_netnsid(link, &otherNamespace) >= 0
        var changes: UInt32 = 0
        let countsChanges = rtnl_link_get_carrier_changes(link, &changes) >= 0
        return LinkDescription(
            index: index, name: name, flags: rtnl_link_get_flags(link),
            operationalState: rtnl_link_get_operstate(link), hardwareType: rtnl_link_get_arptype(link), kind: kind,
            master: rtnl_link_get_master(link), lower: isLowerElsewhere ? 0 : rtnl_link_get_link(link),
            carrierChanges: countsChanges ? changes : nil,
            files: kind == nil ? files.read(name: name, index: index) : nil)
    }

    private func chosenLink(for destination: (family: Int32, address: [UInt8])) -> Int32? {
        guard let address = nl_addr_build(destination.family, destination.address, destination.address.count) else {
            return nil
        }
        defer { nl_addr_put(address) }
        var route: OpaquePointer?
        guard rtnl_route_lookup(socket, address, &route) >= 0, let route else { return nil }
        defer { rtnl_route_put(route) }
        return Self.links(of: route).first
    }

    /// Returns the interfaces of a route's next hops; empty if the route leads nowhere.
    static func links(of route: OpaquePointer) -> [Int32] {
        let unicast: UInt8 = 1
        guard rtnl_route_get_type(route) == unicast else { return [] }
        return (0..<rtnl_route_get_nnexthops(route)).compactMap { number in
            rtnl_route_nexthop_n(route, number).map(rtnl_route_nh_get_ifindex)
        }
    }

    private func defaultRoutes() -> [NetworkSnapshot.DefaultRoute] {
        var cache: OpaquePointer?
        guard rtnl_route_alloc_cache(socket, AF_UNSPEC, 0, &cache) >= 0, let cache else { return [] }
        defer { nl_cache_free(cache) }
        let localTable: UInt32 = 255
        var routes: [NetworkSnapshot.DefaultRoute] = []
        var object = nl_cache_get_first(cache)
        while let route = object {
            object = nl_cache_get_next(route)
            let table = rtnl_route_get_table(route)
            guard table != localTable, let destination = rtnl_route_get_dst(route),
                nl_addr_get_prefixlen(destination) == 0
            else { continue }
            let (family, priority) = (Int32(rtnl_route_get_family(route)), rtnl_route_get_priority(route))
            routes += Self.links(of: route).map { .init(index: $0, priority: priority, family: family, table: table) }
        }
        return routes
    }
}
