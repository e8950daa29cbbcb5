// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// A network namespace with one cable (a veth pair: `cable` is our end, `far` the other), and a real NetworkManager in
/// it on a bus of ours.
package actor NetworkRig {
    /// Why it cannot run here; nil when it can.
    package static let unavailabilityReason: String? = {
        if let reason = RigTools.missing(["ip", "unshare", "nmcli", "dbus-daemon", "/usr/sbin/NetworkManager"]) {
            return reason
        }
        let name = newName()
        do {
            _ = try RigProcess.runBlocking(["ip", "netns", "add", name])
            defer { _ = try? RigProcess.runBlocking(["ip", "netns", "del", name]) }
            _ = try RigProcess.runBlocking([
                "ip", "netns", "exec", name, "ip", "link", "add", "cable", "type", "veth", "peer", "name", "far",
            ])
            return nil
        } catch {
            return "network namespaces are not allowed here: \(error)"
        }
    }()

    /// The namespace's name.
    package nonisolated let name: String
    private let bus: PrivateBus
    private var manager: (process: RigProcess, id: Int32)?

    /// Makes the namespace and the cable; nothing has an address yet.
    package init(bus: PrivateBus) async throws {
        self.bus = bus
        name = Self.newName()
        try await RigProcess.run(["ip", "netns", "add", name])
        try await run("ip link set lo up")
        try await run("ip link add cable type veth peer name far")
        try await run("ip link set far up")
    }

    /// The command that runs `command` in the namespace.
    package nonisolated func inside(_ command: [String]) -> [String] { ["ip", "netns", "exec", name] + command }

    /// Runs a command in the namespace, on the rig's bus; its words are split at blanks.
    @discardableResult
    package func run(_ command: String) async throws -> String {
        try await RigProcess.run(
            inside(command.split(separator: " ").map(String.init)), environment: bus.environment)
    }

    /// Gives the cable an address and a default route without NetworkManager.
    package func configureByHand() async throws {
        try await run("ip link set cable up")
        try await run("ip addr add 10.9.0.2/24 dev cable")
        try await run("ip route add default via 10.9.0.1")
    }

    /// Starts NetworkManager and waits until it answers.
    package func startManager() async throws {
        let command = try inside(["unshare", "--mount", "/bin/sh", RigTools.resource("network-manager.sh")])
        manager = try await RigProcess.service(command, environment: bus.environment)
        let end = ContinuousClock.now + .seconds(10)
        while true {
            do {
                try await run("nmcli -t general status")
                return
            } catch {
                guard ContinuousClock.now < end else { throw error }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Adds the profile `wired` for the cable and brings it up.
    package func connect() async throws {
        try await run(
            """
            nmcli connection add type ethernet ifname cable con-name wired ipv4.method manual ipv4.addresses \
            10.9.0.2/24 ipv4.gateway 10.9.0.1 ipv6.method disabled autoconnect no
            """)
        try await run("nmcli connection up wired")
    }

    /// Sets the profile's price: `yes`, `no` or `unknown`.
    package func setMetered(_ word: String) async throws {
        try await run("nmcli connection modify wired connection.metered \(word)")
    }

    /// Kills NetworkManager with SIGKILL.
    package func killManager() async {
        guard let manager else { return }
        kill(manager.id, SIGKILL)
        await manager.process.end()
        self.manager = nil
    }

    /// Makes NetworkManager hang, or lets it go on.
    package func setManagerHanging(_ isHanging: Bool) {
        if let manager { kill(manager.id, isHanging ? SIGSTOP : SIGCONT) }
    }

    /// Ends NetworkManager and takes the namespace away.
    package func end() async {
        await manager?.process.end()
        manager = nil
        _ = try? await RigProcess.run(["ip", "netns", "del", name])
    }

    private static let count = Mutex(0)

    private static func newName() -> String {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return "rig\(getpid())x\(number)"
    }
}
