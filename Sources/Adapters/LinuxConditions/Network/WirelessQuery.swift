// SPDX-License-Identifier: Apache-2.0
import CNetlink

/// Queries nl80211 for the wireless interfaces.
///
/// Also finds interfaces that sysfs does not show, because a sysfs mounted for another network namespace shows other
/// interfaces. A kernel without nl80211 is normal.
final class WirelessQuery {
    private let socket: OpaquePointer
    private var family: Int32 = -1
    private var queriedDevices: Set<Int32> = []

    /// Opens a socket to the kernel; `nil` if the kernel does not allow it.
    init?() {
        guard let socket = nl_socket_alloc() else { return nil }
        guard genl_connect(socket) >= 0 else {
            nl_socket_free(socket)
            return nil
        }
        // With an acknowledgment pending as well, the next read would return the acknowledgment of the preceding
        // request.
        nl_socket_disable_auto_ack(socket)
        self.socket = socket
    }

    deinit { nl_socket_free(socket) }

    /// Returns the members of `devices` that are wireless.
    func wireless(among devices: Set<Int32>) -> Set<Int32> {
        guard !devices.isEmpty else { return [] }
        if family < 0 {
            // The kernel looks for a module on each query for a missing family, so the query is made only for new
            // devices.
            guard !devices.isSubset(of: queriedDevices) else { return [] }
            queriedDevices = devices
            family = genl_ctrl_resolve(socket, "nl80211")
            guard family >= 0 else { return [] }
        }
        guard let message = nlmsg_alloc() else { return [] }
        defer { nlmsg_free(message) }
        let command = UInt8(NL80211_CMD_GET_INTERFACE.rawValue)
        guard genlmsg_put(message, 0, 0, family, 0, NLM_F_DUMP, command, 0) != nil else { return [] }
        var found: Set<Int32> = []
        guard ask(message, &found) else {
            // The module may have been unloaded.
            family = -1
            return []
        }
        return found.intersection(devices)
    }

    private func ask(_ message: OpaquePointer, _ found: inout Set<Int32>) -> Bool {
        withUnsafeMutablePointer(to: &found) { found in
            nl_socket_modify_cb(
                socket, NL_CB_VALID, NL_CB_CUSTOM,
                { message, data in
                    guard let header = nlmsg_hdr(message), let data else { return Int32(NL_SKIP.rawValue) }
                    let length = Int32(MemoryLayout<genlmsghdr>.size)
                    let attributes = nlmsg_attrdata(header, length)
                    let index = nla_find(
                        attributes, nlmsg_attrlen(header, length), Int32(NL80211_ATTR_IFINDEX.rawValue))
                    if let index {
                        data.assumingMemoryBound(to: Set<Int32>.self).pointee.insert(
                            Int32(bitPattern: nla_get_u32(index)))
                    }
                    return Int32(NL_OK.rawValue)
                }, found)
            // The pointer must not outlive this call.
            defer { nl_socket_modify_cb(socket, NL_CB_VALID, NL_CB_DEFAULT, nil, nil) }
            return nl_send_auto(socket, message) >= 0 && nl_recvmsgs_default(socket) >= 0
        }
    }
}
