// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A connection to the service manager that started this program (sd_notify(3)).
package struct ServiceNotifier: Sendable {
    private let path: String
    /// The longest interval between two heartbeats before the manager kills the program. `nil` if the manager has no
    /// watchdog.
    package let watchdog: Duration?

    /// Creates a notifier from the environment that the manager has set. Returns `nil` if no manager listens.
    package init?(environment: [String: String] = ProcessInfo.processInfo.environment, process: Int32 = getpid()) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
        self.path = path
        let isOurs = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdog = isOurs && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Sends a state such as `WATCHDOG=1`.
    ///
    /// - Returns: `false` if the manager does not receive the state. The program works regardless.
    @discardableResult
    package func send(_ state: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        // An abstract name begins with a zero byte and is not terminated by one.
        let isAbstract = bytes[0] == UInt8(ascii: "@")
        if isAbstract { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(offset + bytes.count + (isAbstract ? 0 : 1))
        let text = Array(state.utf8)
        // A manager that does not read must not block the program.
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, text, text.count, flags, $0, length)
            }
        }
        return sent == text.count
    }
}
