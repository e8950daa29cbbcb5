// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import Testing

@Suite(
    "Path and price, read from the kernel and a real NetworkManager", .serialized,
    .enabled(if: NetworkRig.unavailabilityReason == nil, "\(NetworkRig.unavailabilityReason ?? "")"))
struct NetworkSourceTests {
    private func withProbe(
        _ prepare: (NetworkRig) async throws -> Void,
        _ body: (NetworkRig, ConditionsProbe) async throws -> Void
    ) async throws {
        let bus = try await PrivateBus()
        let rig = try await NetworkRig(bus: bus)
        let result: Result<Void, any Error>
        do {
            try await prepare(rig)
            let probe = try ConditionsProbe(
                ["--without", "upower", "--without", "sysfs"], prefix: rig.inside([]), environment: bus.environment)
            do { result = .success(try await body(rig, probe)) } catch { result = .failure(error) }
            await probe.end()
        } catch { result = .failure(error) }
        await rig.end()
        await bus.end()
        try result.get()
    }

    @Test("The cable's carrier and the default route are followed, a veth counting as ethernet")
    func carrierAndRoute() async throws {
        try await withProbe {
            try await $0.configureByHand()
        } _: { rig, probe in
            try await probe.line("network=full/kernel/guessed/settled", "kind=ethernet", "interface=cable")
            try await rig.run("ip link set far down")
            try await probe.line("network=none/kernel/reported/changed", "interface=none")
            try await rig.run("ip link set far up")
            try await probe.line("network=full", "interface=cable")
            try await rig.run("ip route del default")
            try await probe.line("network=none")
            try await rig.run("ip route add default via 10.9.0.1")
            try await probe.line("network=full")
        }
    }

    @Test("A tunnel is resolved to what carries it, by a policy rule as well")
    func tunnel() async throws {
        try await withProbe {
            try await $0.configureByHand()
        } _: { rig, probe in
            try await probe.line("network=full", "interface=cable")
            try await rig.run("ip tuntap add mode tun name vpn")
            try await rig.run("ip link add over type vxlan id 7 remote 10.9.0.1 dstport 4789 dev cable")
            try await rig.run("ip link set over up")
            try await rig.run("ip route add default dev over table 51820")
            try await rig.run("ip rule add not fwmark 51820 table 51820")
            try await probe.line("network=full", "kind=ethernet", "interface=over")
            try await rig.run("ip rule del not fwmark 51820 table 51820")
            try await probe.line("interface=cable")
        }
    }

    @Test("Ten thousand routes and an overrun of the events do not hide the lost default route")
    func overrun() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("routes-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let routes = (0..<10_000).map {
            "route add 172.\(16 + $0 / 4096 % 16).\($0 / 16 % 256).\($0 % 16 * 16)/28 via 10.9.0.1\n"
        }
        try (routes.joined() + "route del default\n").write(to: file, atomically: true, encoding: .utf8)
        try await withProbe {
            try await $0.configureByHand()
        } _: { rig, probe in
            try await probe.line("network=full")
            kill(probe.id, SIGSTOP)
            try await rig.run("ip -batch \(file.path)")
            kill(probe.id, SIGCONT)
            try await probe.line("network=none")
            try await rig.run("ip route flush root 172.16.0.0/12")
            try await rig.run("ip route add default via 10.9.0.1")
            try await probe.line("network=full")
        }
    }

    @Test("Metered is followed, and survives NetworkManager's death, restart and hanging")
    func metered() async throws {
        try await withProbe {
            try await $0.startManager()
            try await $0.connect()
        } _: { rig, probe in
            try await probe.line("metered=guessNo/networkManager/guessed/settled", "connection=wired")
            try await rig.setMetered("yes")
            try await probe.line("metered=yes/networkManager/reported/changed")
            try await rig.setMetered("no")
            try await probe.line("metered=no/networkManager/reported/changed")
            await rig.killManager()
            try await probe.line("metered=unknown/rule/assumed", "connection=none")
            try await rig.startManager()
            // Its profiles were kept in its own mount namespace and went with it.
            try await rig.connect()
            try await rig.setMetered("yes")
            try await probe.line("metered=yes/networkManager/reported", "connection=wired", "network=full")
            // A hint that is not answered in time: NetworkManager counts as silent.
            await rig.setManagerHanging(true)
            try await rig.run("ip route del default")
            try await probe.line("network=none")
            try await probe.line("metered=unknown/rule")
            await rig.setManagerHanging(false)
            try await probe.line("metered=yes/networkManager")
        }
    }

    @Test("A late NetworkManager is heard")
    func lateStart() async throws {
        try await withProbe {
            try await $0.configureByHand()
        } _: { rig, probe in
            try await probe.line("metered=unknown/rule/assumed/settled", "connection=none")
            try await rig.startManager()
            try await rig.connect()
            try await probe.line("metered=guessNo/networkManager", "connection=wired")
        }
    }
}
