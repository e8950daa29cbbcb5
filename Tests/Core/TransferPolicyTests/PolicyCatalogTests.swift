// SPDX-License-Identifier: Apache-2.0

import Testing
import TransferModel
import TransferPolicy

@Suite struct PolicyCatalogTests {
    @Test("The catalog contains every policy of the lab's table by name")
    func names() {
        #expect(
            PolicyCatalog.entries.map(\.name) == [
                "default", "relaxed", "balanced", "prompt", "horizon", "immediate", "unmetered", "strict",
                "ladder", "price", "wait-awhile", "saving-per-wait",
            ])
    }

    @Test("Each policy is created by name, with explicit defaults, and at both ends of each range")
    func made() throws {
        for entry in PolicyCatalog.entries {
            let plain = try PolicyCatalog.policy(named: entry.name)
            let written = entry.parameters.map { ":\($0.key)=\($0.defaultValue)" }.joined()
            let spelt = try PolicyCatalog.policy(named: entry.name + written)
            #expect("\(plain)" == "\(spelt)")
            for parameter in entry.parameters {
                #expect(parameter.range.contains(parameter.defaultValue))
                for value in [parameter.range.lowerBound, parameter.range.upperBound] {
                    let other = try PolicyCatalog.policy(named: "\(entry.name):\(parameter.key)=\(value)")
                    // The value reaches the policy: at least one bound of the range is not the default.
                    #expect(
                        value == parameter.defaultValue || "\(other)" != "\(plain)", "\(entry.name) \(parameter.key)")
                }
            }
        }
    }

    @Test("With parameters, 'default' is the policy 'horizon', and a parameter that left is named")
    func earlierParameters() throws {
        let policy = try PolicyCatalog.policy(named: "default:wait=1")
        #expect(policy as? HorizonPolicy == HorizonPolicy(maximumWait: .seconds(86_400)))
        let error = #expect(throws: PolicyNameError.self) { try PolicyCatalog.policy(named: "default:margin=3") }
        #expect(
            error?.description.hasPrefix("unknown parameter 'margin=3' of policy horizon; use floor=NUMBER") == true)
        #expect(try PolicyCatalog.policy(named: "default") is PatiencePolicy)
    }

    @Test("The initializers and the catalog have the same defaults")
    func swiftDefaults() throws {
        let all: [any Policy] = [
            PatiencePolicy(), PatiencePolicy(.relaxed), PatiencePolicy(.balanced), PatiencePolicy(.prompt),
            HorizonPolicy(), ImmediatePolicy(), UnmeteredPolicy(), StrictPolicy(), LadderPolicy(),
            PricePolicy(.cheapestWindow), PricePolicy(.cheapestTimes), PricePolicy(.savingPerWait),
        ]
        #expect(all.count == PolicyCatalog.entries.count)
        for (policy, entry) in zip(all, PolicyCatalog.entries) {
            #expect(try "\(policy)" == "\(PolicyCatalog.policy(named: entry.name))")
        }
    }

    @Test(
        "An error names the key, the value, and the range",
        arguments: [
            ("", "unknown policy ''; available policies: default, relaxed,"),
            ("nope", "unknown policy 'nope'; available policies: default, relaxed,"),
            ("Strict", "unknown policy 'Strict'"),
            ("strict:x=1", "policy strict has no parameters; remove 'x=1'"),
            ("ladder:bat", "unknown parameter 'bat' of policy ladder; use bat=NUMBER, cell=NUMBER"),
            ("ladder:", "unknown parameter '' of policy ladder; use bat=NUMBER, cell=NUMBER"),
            ("ladder:dog=1", "unknown parameter 'dog=1' of policy ladder; use bat=NUMBER, cell=NUMBER"),
            ("ladder:bat=", "bat= of the policy ladder must be a number of 0 or more"),
            ("ladder:bat=nan", "bat=nan of the policy ladder must be a number of 0 or more"),
            ("ladder:bat=-0.1", "bat=-0.1 of the policy ladder must be a number of 0 or more"),
            ("ladder:bat=1=2", "bat=1=2 of the policy ladder must be a number of 0 or more"),
            ("ladder:bat=.5:bat=.5", "parameter bat of policy ladder appears twice"),
            ("wiffler:n=8", "this version no longer has the policy 'wiffler'; use one of default, relaxed,"),
            ("hours:margin=8", "this version no longer has the policy 'hours'; use one of default, relaxed,"),
            ("horizon:level=0.5", "level=0.5 of the policy horizon must be a whole number from 0 to 100 %"),
            ("horizon:level=101", "level=101 of the policy horizon must be a whole number from 0 to 100 %"),
        ])
    func errors(text: String, sentence: String) {
        let error = #expect(throws: PolicyNameError.self) { try PolicyCatalog.policy(named: text) }
        #expect(error?.description.hasPrefix(sentence) == true, "\(error?.description ?? "")")
    }

    @Test("Each parameter of each policy has a line in the help text and rejects values outside its range")
    func walk() throws {
        let lines = PolicyCatalog.text().split(separator: "\n").map(String.init)
        var next = 0
        #expect(Set(PolicyCatalog.entries.map(\.name)).count == PolicyCatalog.entries.count)
        for entry in PolicyCatalog.entries {
            #expect(lines[next] == "\(entry.name): \(entry.summary)" && !entry.summary.isEmpty)
            next += 1
            #expect(Set(entry.parameters.map(\.key)).count == entry.parameters.count, "\(entry.name)")
            for parameter in entry.parameters {
                check(lines[next], parameter)
                next += 1
                for wrong in Self.wrongValues(for: parameter) {
                    let text = "\(entry.name):\(parameter.key)=\(wrong)"
                    let error = #expect(throws: PolicyNameError.self, "\(text)") {
                        try PolicyCatalog.policy(named: text)
                    }
                    #expect(error == .badValue(wrong, of: parameter, policy: entry.name))
                    let sentence = error?.description ?? ""
                    #expect(sentence.hasPrefix("\(parameter.key)=\(wrong) of the policy \(entry.name) must be"))
                    #expect(sentence.hasSuffix(parameter.unit))
                }
            }
            // Parameters of `default` are those of `horizon`.
            guard entry.name != "default" else { continue }
            let unknown = #expect(throws: PolicyNameError.self) {
                try PolicyCatalog.policy(named: "\(entry.name):no-such=1")
            }
            #expect(
                unknown == .unknownParameter("no-such=1", policy: entry.name, known: entry.parameters.map(\.key)))
            for key in entry.parameters.map(\.key) { #expect(unknown?.description.contains("\(key)=NUMBER") == true) }
        }
        #expect(next == lines.count)
        let error = #expect(throws: PolicyNameError.self) { try PolicyCatalog.policy(named: "nope") }
        for entry in PolicyCatalog.entries { #expect(error?.description.contains(entry.name) == true) }
    }

    /// Checks that a parameter is described, and printed with its default, meaning, range, and unit.
    private func check(_ line: String, _ parameter: PolicyCatalog.Parameter) {
        let units = ["", "s", "min", "h", "days", "%", "MB", "bytes/s"]
        #expect(units.contains(parameter.unit), "\(line)")
        #expect(parameter.meaning.count > 10, "\(line)")
        #expect(parameter.range.contains(parameter.defaultValue), "\(line)")
        #expect(line.hasPrefix("    \(parameter.key)="), "\(line)")
        #expect(line.contains(": \(parameter.meaning) ("), "\(line)")
        #expect(line.contains("\(parameter.unit)\(parameter.isWhole ? ", whole" : ""))"), "\(line)")
        let numbers = line.split { !"0123456789.einf+-".contains($0) }.compactMap { Double($0) }
        let asPrinted = [parameter.defaultValue, parameter.range.lowerBound, parameter.range.upperBound]
        #expect(asPrinted.allSatisfy(numbers.contains), "\(line)")
    }

    private static func wrongValues(for parameter: PolicyCatalog.Parameter) -> [String] {
        let range = parameter.range
        var wrong = ["", "nan", "-nan", "x", " 1", "1 ", "1,5", "-inf", "\(range.lowerBound.nextDown)", "-1e400"]
        if range.upperBound.isFinite {
            wrong += ["inf", "1e400", "\(range.upperBound.nextUp)", "9223372036854775808e9"]
        }
        if parameter.isWhole { wrong.append("\(range.lowerBound + 0.5)") }
        return wrong
    }

    @Test("Infinite and fractional values are accepted if the range contains them")
    func values() throws {
        #expect(
            try PolicyCatalog.policy(named: "ladder:bat=.25:cell=inf") as? LadderPolicy
                == LadderPolicy(batteryShare: 0.25, meteredShare: .infinity))
    }

    @Test("The parameter 'wait' has its former name 'patience' in files of earlier versions")
    func formerPatience() throws {
        #expect(
            try PolicyCatalog.policy(named: "horizon:patience=2") as? HorizonPolicy
                == HorizonPolicy(maximumWait: .seconds(2 * 86_400)))
        #expect(throws: PolicyNameError.self) { try PolicyCatalog.policy(named: "strict:patience=1") }
    }

    @Test("A program can add its own policies")
    func own() throws {
        let mine = PolicyCatalog.Entry(
            name: "mine", summary: "never", parameters: [.init("x", "nothing", default: 1, in: 0...2)]
        ) { LadderPolicy(batteryShare: $0["x"], meteredShare: $0["y"]) }
        let made = try PolicyCatalog.policy(named: "mine:x=2", among: PolicyCatalog.entries + [mine])
        #expect(made as? LadderPolicy == LadderPolicy(batteryShare: 2, meteredShare: 0))
    }

    @Test("The help text lists every policy and parameter with its default, unit, and range")
    func text() {
        let text = PolicyCatalog.text()
        #expect(
            text.hasPrefix("default: the same as 'balanced'\n"))
        let share = "share of the time to the deadline after which battery is accepted"
        #expect(text.contains("\n    bat=0.5: \(share) (0…inf)\n"))
        #expect(text.split(separator: "\n").count == PolicyCatalog.entries.reduce(0) { $0 + 1 + $1.parameters.count })
    }
}
