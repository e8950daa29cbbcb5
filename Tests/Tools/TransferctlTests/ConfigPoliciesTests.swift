// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferPolicy

@testable import transferctl

@Suite("The output of 'transferctl config policies'")
struct ConfigPoliciesTests {
    @Test("JSON contains every policy with each parameter, its unit, default, and range")
    func json() throws {
        let data = try JSONSerialization.data(
            withJSONObject: ConfigPolicies.object(of: PolicyCatalog.entries), options: .sortedKeys)
        let read = try #require(try JSONSerialization.jsonObject(with: data) as? [String: [[String: Any]]])
        let policies = try #require(read["policies"])
        #expect(policies.map { $0["name"] as? String } == PolicyCatalog.entries.map(\.name))
        for (policy, entry) in zip(policies, PolicyCatalog.entries) {
            #expect(policy["summary"] as? String == entry.summary)
            let parameters = try #require(policy["parameters"] as? [[String: Any]])
            #expect(parameters.map { $0["key"] as? String } == entry.parameters.map(\.key))
            for (parameter, expected) in zip(parameters, entry.parameters) {
                #expect(parameter["meaning"] as? String == expected.meaning)
                #expect(parameter["unit"] as? String == expected.unit)
                #expect(parameter["default"] as? Double == expected.defaultValue)
                #expect(parameter["minimum"] as? Double == expected.range.lowerBound)
                let upper = expected.range.upperBound
                #expect(parameter["maximum"] as? Double == (upper.isFinite ? upper : nil))
                #expect(parameter["whole"] as? Bool == expected.isWhole)
            }
        }
    }
}
