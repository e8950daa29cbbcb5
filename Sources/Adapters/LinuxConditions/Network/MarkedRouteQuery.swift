// SPDX-License-Identifier: Apache-2.0
import CNetlink

/// Queries the kernel for the route of packets that carry a firewall mark. WireGuard and other VPNs mark their own
/// packets, and routing rules keep marked packets out of the tunnel.
final class MarkedRouteQuery {
    private let socket: OpaquePointer

    /// Opens a socket to the kernel; `nil` if the kernel does not allow it.
    init?() {
        guard let socket = nl_socket_alloc() else { return nil }
        guard nl_connect(socket, NETLINK_ROUTE) >= 0 else {
            nl_socket_free(socket)
            return nil
        }
        self.socket = socket
    }

    deinit { nl_socket_free(socket) }

    /// Returns the interfaces over which packets with the marks of the routing rules would leave. Considers at most 16
    /// marks, the lowest first.
    func links(to destinations: [(family: Int32, address: [UInt8])]) -> [Int32] {
        marks().sorted().prefix(16).flatMap { mark in
            destinations.compactMap { link(to: $0.address, $0.family, mark: mark) }
        }
    }

    /// Returns the marks in the routing rules.
    private func marks() -> Set<UInt32> {
        nl_socket_enable_auto_ack(socket)
        var cache: OpaquePointer?
        guard rtnl_rule_alloc_cache(socket, AF_UNSPEC, &cache) >= 0, let cache else { return [] }
        defer { nl_cache_free(cache) }
        var marks: Set<UInt32> = []
        var object = nl_cache_get_first(cache)
        while let rule = object {
            object = nl_cache_get_next(rule)
            let mark = rtnl_rule_get_mark(rule)
            if mark != 0 { marks.insert(mark) }
        }
        return marks
    }

    private func link(to address: [UInt8], _ family: Int32, mark: UInt32) -> Int32? {
        // libnl's own route lookup does not support a mark.
        guard let message = nlmsg_alloc_simple(Int32(RTM_GETROUTE), 0) else { return nil }
        defer { nlmsg_free(message) }
        var head = rtmsg()
        head.rtm_family = UInt8(family)
        head.rtm_dst_len = UInt8(address.count * 8)
        guard nlmsg_append(message, &head, MemoryLayout<rtmsg>.size, 4) >= 0,
            nla_put(message, Int32(RTA_DST.rawValue), Int32(address.count), address) >= 0,
            nla_put_u32(message, Int32(RTA_MARK.rawValue), mark) >= 0
        else { return nil }
        // With an acknowledgment pending as well, the next read would return the acknowledgment of the preceding
        // request.
        nl_socket_disable_auto_ack(socket)
        var index: Int32?
        return withUnsafeMutablePointer(to: &index) { index in
            nl_socket_modify_cb(
                socket, NL_CB_VALID, NL_CB_CUSTOM,
                { message, data in
                    var route: OpaquePointer?
                    guard let data, rtnl_route_parse(nlmsg_hdr(message), &route) >= 0, let route else {
                        return Int32(NL_SKIP.rawValue)
                    }
                    defer { rtnl_route_put(route) }
                    data.assumingMemoryBound(to: Int32?.self).pointee = RouteQuery.links(of: route).first
                    return Int32(NL_OK.rawValue)
                }, index)
            // The pointer must not outlive this call.
            defer { nl_socket_modify_cb(socket, NL_CB_VALID, NL_CB_DEFAULT, nil, nil) }
            guard nl_send_auto(socket, message) >= 0, nl_recvmsgs_default(socket) >= 0 else { return nil }
            return index.pointee
        }
    }
}
