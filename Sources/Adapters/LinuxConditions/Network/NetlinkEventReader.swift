// SPDX-License-Identifier: Apache-2.0
import CNetlink
import GLibBridge

/// Reports that links, routes, or rules may have changed.
///
/// The report carries no details; `RouteQuery` then reads the current state.
final class NetlinkEventReader {
    private let socket: OpaquePointer
    private var source: GLibSource?

    /// Subscribes to the kernel's events; `nil` if the kernel does not allow it.
    init?(on executor: GLibExecutor, onHint body: @escaping () -> Void) {
        guard let socket = nl_socket_alloc() else { return nil }
        nl_socket_disable_seq_check(socket)
        let groups = [
            RTNLGRP_LINK, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE, RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE,
        ]
        guard nl_connect(socket, NETLINK_ROUTE) >= 0, nl_socket_set_nonblocking(socket) >= 0,
            groups.allSatisfy({ nl_socket_add_membership(socket, Int32($0.rawValue)) >= 0 })
        else {
            nl_socket_free(socket)
            return nil
        }
        // Overruns are harmless, but fewer are better. The kernel may grant a smaller buffer.
        nl_socket_set_buffer_size(socket, 1 << 20, 0)
        self.socket = socket
        source = executor.watch(descriptor: nl_socket_get_fd(socket)) {
            Self.readPendingMessages(socket)
            body()
        }
    }

    deinit {
        source?.cancel()
        nl_socket_free(socket)
    }

    /// Reads all pending messages.
    ///
    /// An error is a hint like any message: an overrun means that a message was lost.
    private static func readPendingMessages(_ socket: OpaquePointer) {
        var errors = 0
        while errors < 8 {
            let code = nl_recvmsgs_default(socket)
            if code == -NLE_AGAIN { return }
            if code < 0 { errors += 1 }
        }
    }
}

/// Reads the sysfs files of network devices.
struct DeviceFilesReader: Sendable {
    private let path: String

    /// Creates a reader of the class `net` under a sysfs mount point.
    init(sysfsRoot: String) { path = sysfsRoot + "/class/net" }

    /// Returns the device files of an interface; `nil` if sysfs does not show the interface.
    ///
    /// A sysfs mounted for another network namespace may show a different interface of the same name, so the index
    /// must match.
    func read(name: String, index: Int32) -> LinkDescription.DeviceFiles? {
        let folder = "\(path)/\(name)"
        guard let text = SmallFile.text("\(folder)/ifindex"), Int32(text) == index else { return nil }
        return LinkDescription.DeviceFiles(
            deviceType: SmallFile.text("\(folder)/uevent").flatMap(Self.deviceType),
            isWireless: SmallFile.exists("\(folder)/wireless") || SmallFile.exists("\(folder)/phy80211"),
            driver: SmallFile.linkTarget("\(folder)/device/driver"))
    }

    /// Returns the value of the `DEVTYPE` line of a uevent file.
    static func deviceType(inEvent text: String) -> String? {
        let key = "DEVTYPE="
        return text.split(separator: "\n").first { $0.hasPrefix(key) }.map { String($0.dropFirst(key.count)) }
    }
}
