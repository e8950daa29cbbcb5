// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "transferctl conditions with real services",
    .enabled(if: PowerFixture.unavailabilityReason == nil, "\(PowerFixture.unavailabilityReason ?? "")"))
struct ConditionsCommandTests {
    /// Returns the command's output on a machine that `prepare` sets up. The returned service is ended afterwards.
    private func output(
        _ prepare: (PowerFixture, PrivateBus) async throws -> PropertyService?
    ) async throws -> (text: String, object: [String: Any]) {
        let bus = try await PrivateBus()
        let fixture = try await PowerFixture(bus: bus)
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let command = [
            folder.appendingPathComponent("transferctl").path, "conditions", "--sysfs-root", fixture.sysfsRoot,
        ]
        func run(_ options: String...) async throws -> String {
            try await FixtureProcess.run(command + options, environment: bus.environment)
        }
        let result: Result<(String, [String: Any]), any Error>
        do {
            try await fixture.spawn()
            // UPower has read all supplies once it owns its name.
            for _ in 0..<100 where !(try await run().contains("UPower")) {}
            let service = try await prepare(fixture, bus)
            let text = try await run()
            let object =
                try JSONSerialization.jsonObject(with: Data(try await run("--json").utf8)) as? [String: Any]
            result = .success((text, object ?? [:]))
            await service?.end()
        } catch { result = .failure(error) }
        await fixture.end()
        await bus.end()
        return try result.get()
    }

    private func value(_ key: String, _ part: String, in object: [String: Any]) -> String {
        (object[key] as? [String: Any])?[part].map { "\($0)" } ?? "nothing"
    }

    @Test("A weak charger is reported in text and in JSON")
    func weakCharger() async throws {
        let (text, object) = try await output { fixture, _ in
            try await fixture.set("BAT0", ["status": "Discharging"])
            return nil
        }
        #expect(text.contains("80 %, discharging while plugged in"), "\(text)")
        #expect(value("power", "value", in: object) == "ac")
        #expect((object["battery"] as? [String: Any])?["drainsOnAC"] as? Bool == true)
        #expect(value("battery", "charging", in: object) == "discharging")
        #expect(value("battery", "warning", in: object) == "none")
    }

    @Test("A single run reports a disagreement and a warning")
    func disagreement() async throws {
        let (text, object) = try await output { fixture, _ in
            try await fixture.setACSilently(false)
            return nil
        }
        let sentence = "UPower says AC, sysfs says battery; taken as battery"
        #expect(text.contains("disagreement: \(sentence)"), "\(text)")
        #expect(object["disagreements"] as? [String] == [sentence])
        #expect(value("power", "value", in: object) == "battery")
        #expect(value("power", "confidence", in: object) == "guessed")
    }
}
