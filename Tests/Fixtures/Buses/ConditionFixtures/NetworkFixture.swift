// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures
import Synchronization

/// A network namespace with one cable, and a real NetworkManager inside it on a private bus.
///
/// The cable is a veth pair: `cable` is the near end, and `far` is the far end.
package actor NetworkFixture {
    /// The reason this fixture cannot run here, or `nil` if it can.
    package static let unavailabilityReason: String? = {
        if let reason = FixtureTools.missing(["ip", "unshare", "nmcli", "dbus-daemon", "/usr/sbin/NetworkManager"]) {
            return reason
        }
        let name = newName()
        do {
            try FixtureProcess.runBlocking(["ip", "netns", "add", name])
            defer { _ = try? FixtureProcess.runBlocking(["ip", "netns", "del", name]) }
            try FixtureProcess.runBlocking([
                "ip", "netns", "exec", name, "ip", "link", "add", "cable", "type", "veth", "peer", "name", "far",
            ])
            return nil
        } catch {
            return "network namespaces are not allowed here: \(error)"
        }
    }()

    /// The name of the namespace.
    package nonisolated let name: String
    private let bus: PrivateBus
    private var manager: (process: FixtureProcess, id: Int32)?
    private var services: [FixtureProcess] = []
    private var server: FixtureProcess?
    private var hasFarNamespace = false

    /// Creates the namespace and the cable, without any addresses.
    package init(bus: PrivateBus) async throws {
        self.bus = bus
        name = Self.newName()
        try await FixtureProcess.run(["ip", "netns", "add", name])
        try await run("ip link set lo up")
        try await run("ip link add cable type veth peer name far")
        try await run("ip link set far up")
    }

    /// Returns the command line that runs `command` inside the namespace.
    package nonisolated func inside(_ command: [String]) -> [String] { ["ip", "netns", "exec", name] + command }

    /// Runs a command inside the namespace, on the fixture's bus. The command is split at spaces.
    @discardableResult
    package func run(_ command: String) async throws -> String {
        try await FixtureProcess.run(
            inside(command.split(separator: " ").map(String.init)), environment: bus.environment)
    }

    /// Gives the cable an address and a default route without NetworkManager.
    package func configureManually() async throws {
        try await run("ip link set cable up")
        try await run("ip addr add 10.9.0.2/24 dev cable")
        try await run("ip route add default via 10.9.0.1")
    }

    /// Starts NetworkManager and waits until it responds.
    package func startManager() async throws {
        let command = try inside(["unshare", "--mount", "/bin/sh", FixtureTools.resource("network-manager.sh")])
        manager = try await FixtureProcess.service(command, environment: bus.environment)
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

    /// Adds the profile `wired` for the cable and activates it.
    package func connect() async throws {
        try await run(
            """
            nmcli connection add type ethernet ifname cable con-name wired ipv4.method manual ipv4.addresses \
            10.9.0.2/24 ipv4.gateway 10.9.0.1 ipv6.method disabled autoconnect no
            """)
        try await run("nmcli connection up wired")
    }

    /// Sets the metered state of the profile: `yes`, `no`, or `unknown`.
    package func setMetered(_ word: String) async throws {
        try await run("nmcli connection modify wired connection.metered \(word)")
    }

    /// Runs a service inside the namespace until the fixture ends.
    package func serve(_ command: [String]) async throws {
        services.append(try await FixtureProcess.service(inside(command), environment: bus.environment).process)
    }

    /// Creates an active tunnel named `name`. A separate process keeps the tunnel open.
    package func addTunnel(_ name: String) async throws {
        let script = """
            import fcntl, struct, sys, time
            tunnel = open("/dev/net/tun", "r+b", buffering=0)
            fcntl.ioctl(tunnel, 0x400454CA, struct.pack("16sH22x", sys.argv[1].encode(), 0x1001))
            time.sleep(1e6)
            """
        try await serve(["/usr/bin/python3", "-c", script, name])
        let end = ContinuousClock.now + .seconds(10)
        while (try? await run("ip link set \(name) up")) == nil {
            guard ContinuousClock.now < end else {
                throw FixtureError("the tunnel \(name) did not come up within 10 s")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Moves the far end into its own namespace, and starts a DHCP server there.
    ///
    /// - Parameter option: The text of the vendor option (number 43), or `nil` to send no vendor option.
    package func serveDHCP(vendorOption option: String?) async throws {
        if !hasFarNamespace {
            hasFarNamespace = true
            try await FixtureProcess.run(["ip", "netns", "add", name + "f"])
            try await run("ip link set far netns \(name)f")
            for command in ["ip link set far up", "ip addr add 192.168.43.1/24 dev far"] {
                try await FixtureProcess.run(
                    ["ip", "netns", "exec", name + "f"] + command.split(separator: " ").map(String.init))
            }
        }
        await server?.end()
        server = try await FixtureProcess.service(
            [
                "ip", "netns", "exec", name + "f", "dnsmasq", "--no-daemon", "--port=0", "--interface=far",
                "--bind-interfaces", "--dhcp-range=192.168.43.10,192.168.43.20,1h", "--leasefile-ro",
                "--pid-file=", "--conf-file=/dev/null",
            ] + (option.map { ["--dhcp-option-force=43,\($0)"] } ?? [])
        ).process
    }

    /// Adds the profile `phone` for the cable, configured by DHCP, and activates it.
    package func connectByDHCP() async throws {
        _ = try? await run("nmcli connection delete phone")
        try await run(
            """
            nmcli connection add type ethernet ifname cable con-name phone ipv4.method auto ipv6.method disabled \
            autoconnect no
            """)
        try await run("nmcli connection up phone")
    }

    /// Kills NetworkManager with SIGKILL.
    package func killManager() async {
        guard let manager else { return }
        kill(manager.id, SIGKILL)
        await manager.process.end()
        self.manager = nil
    }

    /// Makes NetworkManager hang, or resumes it.
    package func setManagerHanging(_ isHanging: Bool) {
        if let manager { kill(manager.id, isHanging ? SIGSTOP : SIGCONT) }
    }

    /// Ends NetworkManager and removes the namespace.
    package func end() async {
        await manager?.process.end()
        manager = nil
        for service in services { await service.end() }
        await server?.end()
        if hasFarNamespace { _ = try? await FixtureProcess.run(["ip", "netns", "del", name + "f"]) }
        _ = try? await FixtureProcess.run(["ip", "netns", "del", name])
    }

    private static let count = Mutex(0)

    private static func newName() -> String {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return "test\(getpid())x\(number)"
    }
}
