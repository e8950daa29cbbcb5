// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import Testing

@Suite(
    "transferctl conditions, over real services", .serialized,
    .enabled(if: PowerRig.unavailabilityReason == nil, "\(PowerRig.unavailabilityReason ?? "")"))
struct ConditionsCommandTests {
    /// Returns the command's output on a machine that `prepare` sets up. The returned service is ended afterwards.
    private func output(
        _ prepare: (PowerRig, PrivateBus) async throws -> PropertyService?
    ) async throws -> (text: String, object: [String: Any]) {
        let bus = try await PrivateBus()
        let rig = try await PowerRig(bus: bus)
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let command = [folder.appendingPathComponent("transferctl").path, "conditions", "--sysfs-root", rig.sysfsRoot]
        func run(_ options: String...) async throws -> String {
            try await RigProcess.run(command + options, environment: bus.environment)
        }
        let result: Result<(String, [String: Any]), any Error>
        do {
            try await rig.spawn()
            // UPower has read all supplies once it owns its name.
            for _ in 0..<100 where !(try await run().contains("UPower")) {}
            let service = try await prepare(rig, bus)
            let text = try await run()
            let object = try JSONSerialization.jsonObject(with: Data(try await run("--json").utf8)) as? [String: Any]
            result = .success((text, object ?? [:]))
            await service?.end()
        } catch { result = .failure(error) }
        await rig.end()
        await bus.end()
        return try result.get()
    }

    private func value(_ key: String, _ part: String, in object: [String: Any]) -> String {
        (object[key] as? [String: Any])?[part].map { "\($0)" } ?? "nothing"
    }

    @Test("A charger too weak is told in words and in JSON")
    func weakCharger() async throws {
        let (text, object) = try await output { rig, _ in
            try await rig.set("BAT0", ["status": "Discharging"])
            return nil
        }
        #expect(text.contains("80 %, discharging although plugged in"), "\(text)")
        #expect(value("power", "value", in: object) == "ac")
        #expect((object["battery"] as? [String: Any])?["drainsOnAC"] as? Bool == true)
        #expect(value("battery", "charging", in: object) == "discharging")
        #expect(value("battery", "warning", in: object) == "none")
    }

    @Test("A disagreement and a warning are told at once, by one look")
    func disagreement() async throws {
        let (text, object) = try await output { rig, _ in
            try await rig.setACSilently(false)
            return nil
        }
        let sentence = "UPower says AC, sysfs says battery; taken as battery"
        #expect(text.contains("disagreement: \(sentence)"), "\(text)")
        #expect(object["disagreements"] as? [String] == [sentence])
        #expect(value("power", "value", in: object) == "battery")
        #expect(value("power", "sureness", in: object) == "guessed")
    }

    @Test("Power profile and sleep are told with their sources")
    func session() async throws {
        let (text, object) = try await output { rig, bus in
            try await rig.setAC(false)
            try await rig.setLevel(3)
            return try await PropertyService(
                bus: bus, name: "org.freedesktop.UPower.PowerProfiles", path: "/org/freedesktop/UPower/PowerProfiles",
                interface: "org.freedesktop.UPower.PowerProfiles", property: "ActiveProfile", type: "s",
                value: "power-saver")
        }
        #expect(text.contains("warning critical"), "\(text)")
        #expect(value("powerProfile", "value", in: object) == "power-saver")
        #expect(value("powerProfile", "source", in: object) == "power-profiles-daemon")
        #expect(value("sleep", "value", in: object) == "awake")
        #expect(value("sleep", "source", in: object) == "nobody")
        #expect(text.contains("power profile") && text.contains("power-saver"), "\(text)")
    }
}
