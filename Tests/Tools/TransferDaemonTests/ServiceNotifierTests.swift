// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Testing

@testable import ToolSupport
@testable import TransferDaemon

@Suite("C12: heartbeats for the service manager", .timeLimit(.minutes(1)))
struct ServiceNotifierTests {
    /// A notification socket like the one that systemd provides for each service.
    private final class Manager: Sendable {
        let name: String
        private let descriptor: Int32

        init(isAbstract: Bool = false) throws {
            let name = NSTemporaryDirectory() + "notify-\(UUID().uuidString.prefix(8))"
            self.name = isAbstract ? "@" + name : name
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = (isAbstract ? [0] : []) + Array(name.utf8)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let length = socklen_t(2 + bytes.count + (isAbstract ? 0 : 1))
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
            try #require(code == 0)
        }

        deinit {
            close(descriptor)
            unlink(name)
        }

        /// Waits for the next message; `nil` if no message arrives in time.
        ///
        /// The wait blocks a thread outside of the pool for tasks. The pool has few threads, and the sender needs one
        /// of them.
        func next(milliseconds: Int32) async -> String? {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: self.received(milliseconds)) }
            }
        }

        private func received(_ milliseconds: Int32) -> String? {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, milliseconds) == 1 else { return nil }
            var bytes = [UInt8](repeating: 0, count: 100)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
    }

    @Test("Messages arrive at path sockets and abstract sockets", arguments: [false, true])
    func arrives(isAbstract: Bool) async throws {
        let manager = try Manager(isAbstract: isAbstract)
        let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.name]))
        #expect(notifier.send("WATCHDOG=1"))
        #expect(await manager.next(milliseconds: 10_000) == "WATCHDOG=1")
        #expect(notifier.watchdog == nil)
    }

    @Test("Without a listener, nothing is sent and nothing blocks")
    func withoutListener() throws {
        #expect(ServiceNotifier(environment: [:]) == nil)
        #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": "relative"]) == nil)
        #expect(try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": "/nowhere/socket"])).send("X=1") == false)
        let long = "/" + String(repeating: "x", count: 200)
        #expect(try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": long])).send("X=1") == false)
    }

    @Test("The watchdog interval is used only if it is meant for this process")
    func watchdog() {
        func watchdog(_ variables: [String: String]) -> Duration? {
            ServiceNotifier(
                environment: variables.merging(["NOTIFY_SOCKET": "/x"]) { $1 }, process: 7)?.watchdog
        }
        #expect(watchdog(["WATCHDOG_USEC": "5000000", "WATCHDOG_PID": "7"]) == .seconds(5))
        #expect(watchdog(["WATCHDOG_USEC": "5000000"]) == .seconds(5))
        #expect(watchdog(["WATCHDOG_USEC": "5000000", "WATCHDOG_PID": "8"]) == nil)
        #expect(watchdog(["WATCHDOG_USEC": "0"]) == nil)
        #expect(watchdog(["WATCHDOG_USEC": "-1"]) == nil)
    }

    @Test("Heartbeats are sent only while the check returns")
    func heartbeat() async throws {
        let manager = try Manager()
        let environment = ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "2000"]
        let (hanging, release) = AsyncStream.makeStream(of: Void.self)
        let counter = Counter()
        let heart = Heartbeat(notifier: ServiceNotifier(environment: environment)) {
            guard await counter.next() > 3 else { return }
            for await _ in hanging {}
        }
        let beating = Task { try await heart.run() }
        for _ in 1...3 { #expect(await manager.next(milliseconds: 10_000) == "WATCHDOG=1") }
        #expect(await manager.next(milliseconds: 100) == nil)
        release.finish()
        #expect(await manager.next(milliseconds: 10_000) == "WATCHDOG=1")
        beating.cancel()
        try await beating.value
    }

    private actor Counter {
        private var count = 0

        func next() -> Int {
            count += 1
            return count
        }
    }
}
