// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "Network path and metered state from the kernel and a real NetworkManager",
    .enabled(if: NetworkFixture.unavailabilityReason == nil, "\(NetworkFixture.unavailabilityReason ?? "")"))
struct NetworkSourceTests {
    @Test("The carrier and the default route are followed; a veth counts as Ethernet")
    func carrierAndRoute() async throws {
        try await NetworkProbe.run {
            try await $0.configureManually()
        } _: { fixture, probe in
            try await probe.line("network=full/kernel/guessed/settled", "kind=ethernet", "interface=cable")
            try await fixture.run("ip link set far down")
            try await probe.line("network=none/kernel/reported/changed", "interface=none")
            try await fixture.run("ip link set far up")
            try await probe.line("network=full", "interface=cable")
            try await fixture.run("ip route del default")
            try await probe.line("network=none")
            try await fixture.run("ip route add default via 10.9.0.1")
            try await probe.line("network=full")
        }
    }

    @Test("A VPN's underlay is found by its packet mark and in the main routing table")
    func marked() async throws {
        try await NetworkProbe.run {
            try await $0.configureManually()
            try await $0.addTunnel("vpn")
        } _: { fixture, probe in
            try await probe.line("network=full", "interface=cable", "underlay=none")
            // The routes of wg-quick: every packet except for the tunnel's own packets goes into the tunnel.
            try await fixture.run("ip route add default dev vpn table 51820")
            try await fixture.run("ip rule add not fwmark 51820 table 51820")
            try await probe.line("interface=vpn", "underlay=cable", "kind=ethernet/kernel/guessed")
            // The tunnel's own packets have a separate table, and the main table has no default route.
            try await fixture.run("ip route add default via 10.9.0.1 dev cable table 99")
            try await fixture.run("ip rule add fwmark 51820 table 99")
            try await fixture.run("ip route del default")
            // No interface carries the tunnel's packets now.
            try await fixture.run("ip link set far down")
            try await probe.line("network=none")
            try await fixture.run("ip link set far up")
            try await probe.line("interface=vpn", "underlay=cable")
            try await fixture.run("ip rule del fwmark 51820 table 99")
            try await fixture.run("ip route flush table 99")
            try await probe.line("interface=vpn", "underlay=none", "kind=unknown", "roaming=unknown")
        }
    }

    @Test("Ten thousand routes and an event overrun do not hide the loss of the default route")
    func overrun() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("routes-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let routes = (0..<10_000).map {
            "route add 172.\(16 + $0 / 4096 % 16).\($0 / 16 % 256).\($0 % 16 * 16)/28 via 10.9.0.1\n"
        }
        try (routes.joined() + "route del default\n").write(to: file, atomically: true, encoding: .utf8)
        try await NetworkProbe.run {
            try await $0.configureManually()
        } _: { fixture, probe in
            try await probe.line("network=full")
            // The machine may be busy with other work, so a single undisturbed round is enough.
            var delays: [Duration] = []
            for _ in 0..<5 where delays.last.map({ $0 > .milliseconds(100) }) ?? true {
                kill(probe.id, SIGSTOP)
                try await fixture.run("ip -batch \(file.path)")
                let (before, start) = (ProcessorTime(of: probe.id), LineBuffer.now())
                kill(probe.id, SIGCONT)
                let line = try await probe.line("network=none")
                let delay = Duration.nanoseconds(line.time - start)
                delays.append(ProcessorTime(of: probe.id).ownPart(of: delay, since: before))
                try await fixture.run("ip route flush root 172.16.0.0/12")
                try await fixture.run("ip route add default via 10.9.0.1")
                try await probe.line("network=full")
            }
            #expect(delays.last.map { $0 <= .milliseconds(100) } == true, "the time until the right state: \(delays)")
        }
    }

    @Test("The metered state is followed through NetworkManager's death, restart, and hang")
    func metered() async throws {
        try await NetworkProbe.run {
            try await $0.startManager()
            try await $0.connect()
        } _: { fixture, probe in
            try await probe.line("metered=guessNo/networkManager/guessed/settled", "connection=wired")
            try await fixture.setMetered("yes")
            try await probe.line("metered=yes/networkManager/reported/changed")
            try await fixture.setMetered("no")
            try await probe.line("metered=no/networkManager/reported/changed")
            await fixture.killManager()
            try await probe.line("metered=unknown/rule/assumed", "connection=none")
            try await fixture.startManager()
            // The profiles were in the mount namespace of NetworkManager and were lost with it.
            try await fixture.connect()
            try await fixture.setMetered("yes")
            try await probe.line("metered=yes/networkManager/reported", "connection=wired", "network=full")
            // NetworkManager does not respond to the hint in time and therefore counts as silent.
            await fixture.setManagerHanging(true)
            try await fixture.run("ip route del default")
            try await probe.line("network=none")
            try await probe.line("metered=unknown/rule")
            await fixture.setManagerHanging(false)
            try await probe.line("metered=yes/networkManager")
        }
    }
}
