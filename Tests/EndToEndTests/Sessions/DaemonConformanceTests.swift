// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import SessionHarnesses
import Testing
import TransferTesting

@Suite(
    "Sessions over the daemon keep the rules", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct DaemonConformanceTests {
    @Test("keeps the rules", arguments: SessionRule.allCases)
    func rule(_ rule: SessionRule) async throws {
        let outcome = try await SessionConformance { try await DaemonHarness(daemon: DaemonRig.daemonPath) }.run(rule)
        #expect(outcome == .held || rule == .s6, "\(outcome)")
    }
}
