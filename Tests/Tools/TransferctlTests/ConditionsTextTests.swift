// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Testing
import TransferModel

@testable import transferctl

@Suite("The conditions as text")
struct ConditionsTextTests {
    private static let now = ClockReading(instant: .zero, wall: WallTime(secondsSinceEpoch: 1_795_392_000))
    private static let before = WallTime(secondsSinceEpoch: 1_795_000_000)

    private func since(_ key: String, _ conditions: Conditions, _ daemon: ConditionsReport?) -> WallTime? {
        ConditionsText.rows(conditions, at: Self.now.wall, daemon: daemon).first { $0.key == key }?.since
    }

    @Test(
        "A condition is set by two arguments, or by one as in --when",
        arguments: [
            (["call", "yes"], "call", "yes"), (["call=yes"], "call", "yes"), (["call"], "call", nil),
            (["call="], "call", ""), (["call=yes", "no"], "call=yes", "no"),
        ])
    func setting(arguments: [String], name: String, value: String?) throws {
        let setting = try ConditionsSetCommand.parse(arguments).setting
        #expect(setting.name == name && setting.value == value)
    }

    @Test("The start of a value is the one that was seen, or the daemon's if it has the same value, or none")
    func since() {
        var conditions = Conditions(unknownSince: Self.now)
        conditions.power = Fact(.ac, source: .upower, since: Self.now, confidence: .reported)
        #expect(since("power", conditions, nil) == nil)
        let object = ConditionsText.object(conditions, at: Self.now.wall)
        #expect((object["power"] as? [String: Any])?["since"] as? String == nil)

        var known = conditions
        known.power.since.wall = Self.before
        var report = ConditionsReport(known, includesNames: true, at: Self.now.wall)
        #expect(since("power", conditions, report) == Self.before)
        report.power?.value = "battery"
        #expect(since("power", conditions, report) == nil)
        conditions.power.update(to: .battery, source: .upower, confidence: .reported, at: Self.now)
        #expect(since("power", conditions, report) == Self.now.wall)
    }

    @Test("A hold is the last condition, with its reason, its end, and the command that set it")
    func hold() {
        var conditions = Conditions(unknownSince: Self.now)
        #expect(!ConditionsText.table(conditions, at: Self.now.wall).contains("hold"))
        let free = ConditionsText.object(conditions, at: Self.now.wall)["hold"] as? [String: Any]
        #expect(free?["value"] as? String == "none" && free?["until"] as? String == nil)
        let old = conditions
        let hold = MachineHold(by: MachineHold.user, why: "a call", until: Self.now.wall.advanced(by: .seconds(60)))
        conditions.hold = Fact(hold, source: .user, since: Self.now)
        let line = ConditionsText.table(conditions, at: Self.now.wall).split(separator: "\n").last ?? ""
        #expect(line.hasPrefix("hold ") && line.contains("a call, until ") && line.contains("transferctl hold"))
        let held = ConditionsText.object(conditions, at: Self.now.wall)["hold"] as? [String: Any]
        #expect(held?["value"] as? String == "held" && held?["reason"] as? String == "a call")
        #expect(held?["holder"] as? String == "the user" && held?["since"] is String && held?["until"] is String)
        #expect(ConditionsText.change(from: old, to: conditions)?.hasPrefix("conditions: hold a call, until") == true)
        #expect(ConditionsText.change(from: conditions, to: old)?.hasPrefix("conditions: hold none") == true)
        #expect(ConditionsText.change(from: nil, to: old)?.contains("hold") == false)
    }

    @Test("The policy in force is a sentence, whatever its name")
    func rule() {
        #expect(ConfigShow.rule(of: "default") == ConfigShow.rule(of: "balanced"))
        for name in ["default", "relaxed", "prompt", "strict", "ladder:bat=0.25", "immediate"] {
            let rule = ConfigShow.rule(of: name)
            #expect(rule.hasPrefix("Discretionary transfers wait for ") && !rule.contains("'"), "\(rule)")
        }
    }
}
