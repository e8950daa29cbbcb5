// SPDX-License-Identifier: Apache-2.0
import CNetlink
import GLibBridge
import Glibc

/// Reports the kernel's announcements of power supply changes.
///
/// Needs neither udev nor privileges.
final class KernelEventReader {
    private let descriptor: Int32
    private var source: GLibSource?

    /// Subscribes to the kernel's events; `nil` if the kernel does not allow it.
    ///
    /// - Parameter onMessage: Receives each message about a power supply before `onPowerSupplyChange` is called, for a
    ///   recording.
    init?(
        on executor: GLibExecutor, onMessage: (([String]) -> Void)? = nil,
        onPowerSupplyChange body: @escaping () -> Void
    ) {
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_NETLINK, type, NETLINK_KOBJECT_UEVENT)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = 1
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size)) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        source = executor.watch(descriptor: descriptor) {
            if Self.readPendingMessages(descriptor, onMessage) { body() }
        }
    }

    deinit {
        source?.cancel()
        close(descriptor)
    }

    /// Reads all pending messages and returns whether one was about a power supply.
    ///
    /// An overrun counts as a message about a power supply.
    private static func readPendingMessages(_ descriptor: Int32, _ onMessage: (([String]) -> Void)?) -> Bool {
        var isHint = false
        var bytes = [UInt8](repeating: 0, count: 8192)
        while true {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count > 0 {
                let isAboutPower = KernelEvent.isPowerSupply(bytes[..<count])
                isHint = isHint || isAboutPower
                if isAboutPower, let onMessage { onMessage(KernelEvent.fields(bytes[..<count])) }
            } else if count < 0, errno == EINTR {
                continue
            } else if count < 0, errno == ENOBUFS {
                isHint = true
            } else {
                return isHint
            }
        }
    }
}

/// The kernel's device messages: text fields, each followed by a zero byte.
enum KernelEvent {
    /// Returns whether a message is about the class power_supply.
    static func isPowerSupply(_ message: some Collection<UInt8>) -> Bool {
        message.split(separator: 0).contains { $0.elementsEqual("SUBSYSTEM=power_supply".utf8) }
    }

    /// Returns the fields of a message.
    static func fields(_ message: some Collection<UInt8>) -> [String] {
        message.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }
}
