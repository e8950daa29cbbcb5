// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "Metered state from DHCP leases, a real NetworkManager, and the user's overrides",
    .enabled(if: NetworkFixture.unavailabilityReason == nil, "\(NetworkFixture.unavailabilityReason ?? "")"))
struct CostSourceTests {
    @Test("A hotspot's option in a lease is read; a conflict with NetworkManager is reported as a disagreement")
    func lease() async throws {
        let folder = try TemporaryFolder()
        let leases = folder.path + "/run/systemd/netif/leases"
        try FileManager.default.createDirectory(atPath: leases, withIntermediateDirectories: true)
        let lease = "VENDOR_SPECIFIC=414e44524f49445f4d455445524544\n"
        try await NetworkProbe.run(["--leases", folder.path]) {
            try await $0.configureManually()
        } _: { fixture, probe in
            try await probe.line("metered=unknown/rule/assumed/settled")
            // The source reads the lease files again when the path changes.
            for index in 1...20 {
                try lease.write(toFile: "\(leases)/\(index)", atomically: true, encoding: .utf8)
            }
            try await fixture.run("ip route del default")
            try await probe.line("network=none", "metered=unknown")
            try await fixture.run("ip route add default via 10.9.0.1")
            try await probe.line("network=full", "metered=guessYes/dhcp/guessed")
            try await fixture.startManager()
            try await fixture.connect()
            try await probe.line("connection=wired", "metered=guessYes/dhcp/guessed", "disagreements=1")
            try await fixture.setMetered("no")
            try await probe.line("metered=no/networkManager/reported", "disagreements=0")
        }
    }

    @Test(
        "NetworkManager's guess from a hotspot's DHCP response is followed",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/dnsmasq"), "not installed: dnsmasq"))
    func hotspot() async throws {
        try await NetworkProbe.run {
            try await $0.startManager()
            try await $0.serveDHCP(vendorOption: "ANDROID_METERED")
            try await $0.connectByDHCP()
        } _: { fixture, probe in
            try await probe.line("metered=guessYes/networkManager/guessed", "connection=phone")
            try await fixture.serveDHCP(vendorOption: nil)
            try await fixture.connectByDHCP()
            try await probe.line("metered=guessNo/networkManager/guessed", "connection=phone", "network=full")
        }
    }

    @Test("The command saves and lists overrides, a running command follows them, and invalid ones are rejected")
    func command() async throws {
        let bus = try await PrivateBus()
        let fixture = try await NetworkFixture(bus: bus)
        let result: Result<Void, any Error>
        do {
            try await fixture.configureManually()
            result = .success(try await overrideByCommand(fixture, bus))
        } catch { result = .failure(error) }
        await fixture.end()
        await bus.end()
        try result.get()
    }

    private func overrideByCommand(_ fixture: NetworkFixture, _ bus: PrivateBus) async throws {
        var program = try Transferctl(environment: bus.environment)
        program.prefix = fixture.inside([])
        let watching = try program.start(["conditions", "--watch", "--json"])
        defer { watching.process.signal(SIGINT) }
        // No service names the connections here, so the override names the interface.
        func metered(_ what: String, source: String) async throws {
            try await watching.waitUntil("\(what) by \(source)", within: 30) {
                let last = watching.output.split(separator: "\n").last.map { Data($0.utf8) } ?? Data()
                let object = try? JSONSerialization.jsonObject(with: last) as? [String: Any]
                let fact = object?["metered"] as? [String: Any]
                return fact?["value"] as? String == what && fact?["source"] as? String == source
            }
        }
        try await metered("unknown", source: "rule")
        #expect(try await program.run(["network", "cable", "yes"]).status == 0)
        try await metered("yes", source: "override")
        #expect(try await program.run(["network", "Train \"Wi-Fi\"", "no"]).status == 0)
        let list = try await program.run(["network"]).run
        #expect(list.output == "Train \"Wi-Fi\"  no\ncable  yes\n")
        #expect(try await program.run(["network", "cable", "auto", "--json"]).run.output.contains(#""metered":"no""#))
        try await metered("unknown", source: "rule")
        for wrong in [["network", "cable"], ["network", "cable", "maybe"], ["network", "", "yes"]] {
            let (status, run) = try await program.run(wrong)
            #expect(status == 2, "\(wrong): \(run.errors)")
        }
        let file = program.folder.path + "/config/transferd/overrides.toml"
        try "[metered]\n\ncable = maybe\n".write(toFile: file, atomically: true, encoding: .utf8)
        for refused in [["network", "cable", "yes"], ["get", "http://127.0.0.1:9/x"]] {
            let (status, run) = try await program.run(refused)
            #expect(status == 2)
            #expect(run.errors.contains("overrides.toml: line 3: 'maybe' is no value"), "\(run.errors)")
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "[metered]\n\ncable = maybe\n")
    }
}
