// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import SessionHarnesses
import Testing
import TransferTesting

@Suite(
    "Daemon sessions follow the rules",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct DaemonConformanceTests {
    @Test("follows the rule", arguments: SessionRule.allCases)
    func rule(_ rule: SessionRule) async throws {
        let outcome = try await SessionConformance { try await DaemonHarness(daemon: DaemonFixture.daemonPath) }.run(
            rule)
        #expect(outcome == .held || rule == .s6, "\(outcome)")
    }
}
