// SPDX-License-Identifier: Apache-2.0
import SessionHarnesses
import Testing
import TransferTesting

@Suite("Sessions of an embedded engine", .serialized)
struct EmbeddedConformanceTests {
    @Test("keeps the rules", arguments: SessionRule.allCases)
    func rule(_ rule: SessionRule) async throws {
        let outcome = try await SessionConformance { try await EmbeddedHarness() }.run(rule)
        #expect(outcome == .held || [.s1, .s4, .t10].contains(rule), "\(outcome)")
    }
}
