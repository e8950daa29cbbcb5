// SPDX-License-Identifier: Apache-2.0
import LinuxConditions
import Testing
import ToolSupport
import TransferModel

@Suite struct ShippedConditionsTests {
    private func parsed(_ text: String) throws -> CustomConditionSource? {
        try DaemonConfiguration(text, path: "c.toml").conditions.first
    }

    @Test("A shipped condition needs only its name", arguments: CustomConditionSource.shipped)
    func named(source: CustomConditionSource) throws {
        #expect(CustomConstraint.isName(source.name) && source.values.allSatisfy(CustomConstraint.isValue))
        #expect(!source.sentences.isEmpty && Set(source.sentences.keys).isSubset(of: source.values))
        #expect(try parsed("[condition.\(source.name)]") == source)
    }

    @Test("Keys change a shipped condition, and a definition replaces it")
    func changed() throws {
        let changed = try parsed("[condition.load]\nevery = \"1m\"\ndebounce = \"1m\"\nsentence = { high = \"busy\" }")
        let shipped = try #require(CustomConditionSource.shipped.first { $0.name == "load" })
        #expect(changed?.origin == shipped.origin && changed?.values == ["low", "high"])
        #expect(changed?.interval == .seconds(60) && changed?.debounce == .seconds(60))
        #expect(changed?.sentences == ["high": "busy"])
        let own = try parsed("[condition.load]\nvalues = [\"1\"]\nfile = \"/load\"")
        #expect(own?.origin == .file("/load") && own?.sentences == [:])
    }

    @Test("A condition that needs only a line is offered when it is missing")
    func offered() {
        let error = #expect(throws: UsageError.self) {
            try OwnConditions.definition(of: "load", with: ["low"], in: [], context: "--when 'load=low': ")
        }
        #expect(error?.description.contains("; add the line [condition.load] to ") == true)
    }
}
