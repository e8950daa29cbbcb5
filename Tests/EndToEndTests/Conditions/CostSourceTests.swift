// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import Testing

@Suite(
    "Price, read from leases, a real NetworkManager and a person's overrides", .serialized,
    .enabled(if: NetworkRig.unavailabilityReason == nil, "\(NetworkRig.unavailabilityReason ?? "")"))
struct CostSourceTests {
    @Test("A hotspot's word in a lease is read, and told to disagree with a guess of NetworkManager's")
    func lease() async throws {
        let folder = try TemporaryFolder()
        let leases = folder.path + "/var/lib/dhcp"
        try FileManager.default.createDirectory(atPath: leases, withIntermediateDirectories: true)
        let lease = """
            lease {
              interface "cable";
              option vendor-encapsulated-options "ANDROID_METERED";
              expire never;
            }
            """
        try await NetworkProbe.run(["--leases", folder.path]) {
            try await $0.configureByHand()
        } _: { rig, probe in
            try await probe.line("metered=unknown/rule/assumed/settled")
            // The source reads the lease files again when the path changes.
            try lease.write(toFile: leases + "/dhclient.leases", atomically: true, encoding: .utf8)
            try await rig.run("ip route del default")
            try await probe.line("network=none", "metered=unknown")
            try await rig.run("ip route add default via 10.9.0.1")
            try await probe.line("network=full", "metered=guessYes/dhcp/guessed")
            try await rig.startManager()
            try await rig.connect()
            try await probe.line("connection=wired", "metered=guessYes/dhcp/guessed", "disagreements=1")
            try await rig.setMetered("no")
            try await probe.line("metered=no/networkManager/reported", "disagreements=0")
        }
    }

    @Test(
        "NetworkManager's own guess from a hotspot's DHCP answer is followed",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/dnsmasq"), "not installed: dnsmasq"))
    func hotspot() async throws {
        try await NetworkProbe.run {
            try await $0.startManager()
            try await $0.serveDHCP(vendorOption: "ANDROID_METERED")
            try await $0.connectByDHCP()
        } _: { rig, probe in
            try await probe.line("metered=guessYes/networkManager/guessed", "connection=phone")
            try await rig.serveDHCP(vendorOption: nil)
            try await rig.connectByDHCP()
            try await probe.line("metered=guessNo/networkManager/guessed", "connection=phone", "network=full")
        }
    }

    @Test("A person's word wins over NetworkManager's, comes and goes at once, and stays when its file goes bad")
    func override() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/not/yet/overrides.toml"
        try await NetworkProbe.run(["--overrides", path]) {
            try await $0.startManager()
            try await $0.connect()
        } _: { rig, probe in
            try await probe.line("metered=guessNo/networkManager", "connection=wired", "notes=0")
            try FileManager.default.createDirectory(
                atPath: folder.path + "/not/yet", withIntermediateDirectories: true)
            try "[metered]\nwired = \"yes\"\n".write(toFile: path, atomically: true, encoding: .utf8)
            try await probe.line("metered=yes/override/reported/changed")
            try "[metered]\nwired = \"perhaps\"\n".write(toFile: path, atomically: false, encoding: .utf8)
            try await probe.line("metered=yes/override", "notes=1")
            try "[metered]\nwired = \"no\"\n".write(toFile: path, atomically: false, encoding: .utf8)
            try await probe.line("metered=no/override", "notes=0")
            try await rig.setMetered("yes")
            try FileManager.default.removeItem(atPath: folder.path + "/not")
            try await probe.line("metered=yes/networkManager/reported")
        }
    }

    @Test("Words are kept by the command, listed, followed by a command that runs, and refused when they are bad")
    func command() async throws {
        let bus = try await PrivateBus()
        let rig = try await NetworkRig(bus: bus)
        let result: Result<Void, any Error>
        do {
            try await rig.configureByHand()
            result = .success(try await overrideByCommand(rig, bus))
        } catch { result = .failure(error) }
        await rig.end()
        await bus.end()
        try result.get()
    }

    private func overrideByCommand(_ rig: NetworkRig, _ bus: PrivateBus) async throws {
        var program = try Transferctl(environment: bus.environment)
        program.prefix = rig.inside([])
        let watching = try program.start(["conditions", "--watch", "--json"])
        defer { watching.process.signal(SIGINT) }
        // No service names the connections here, so the override names the interface.
        func metered(_ what: String, source: String) throws {
            try waitUntil("\(what) by \(source)", within: 30) {
                let last = watching.output.split(separator: "\n").last.map { Data($0.utf8) } ?? Data()
                let object = try? JSONSerialization.jsonObject(with: last) as? [String: Any]
                let fact = object?["metered"] as? [String: Any]
                return fact?["value"] as? String == what && fact?["source"] as? String == source
            }
        }
        try metered("unknown", source: "rule")
        #expect(try program.run(["override", "cable", "yes"]).status == 0)
        try metered("yes", source: "override")
        #expect(try program.run(["override", "Train \"Wi-Fi\"", "metered=no"]).status == 0)
        let list = try program.run(["override"]).run
        #expect(list.output == "Train \"Wi-Fi\"  no\ncable  yes\n")
        #expect(try program.run(["override", "cable", "auto", "--json"]).run.output.contains(#""metered":"no""#))
        try metered("unknown", source: "rule")
        for wrong in [["override", "cable"], ["override", "cable", "maybe"], ["override", "", "yes"]] {
            let (status, run) = try program.run(wrong)
            #expect(status == 2, "\(wrong): \(run.errors)")
        }
        let file = program.folder.path + "/config/transferd/overrides.toml"
        try "[metered]\n\ncable = maybe\n".write(toFile: file, atomically: true, encoding: .utf8)
        for refused in [["override", "cable", "yes"], ["get", "http://127.0.0.1:9/x"]] {
            let (status, run) = try program.run(refused)
            #expect(status == 2)
            #expect(run.errors.contains("overrides.toml: line 3: 'maybe' is no value"), "\(run.errors)")
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "[metered]\n\ncable = maybe\n")
    }
}
