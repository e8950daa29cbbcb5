// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// A stress test in which every source of conditions dies, hangs, recovers and stays away, in random order.
///
/// `TRANSFER_DYING_SECONDS` sets the duration (20 s by default), and `TRANSFER_SEED` sets the order.
@Suite(
    "Dying daemons",
    .enabled(if: DyingDaemonsFixture.unavailabilityReason == nil, "\(DyingDaemonsFixture.unavailabilityReason ?? "")"))
struct DyingDaemonsTests {
    private static let environment = ProcessInfo.processInfo.environment

    @Test("upowerd, NetworkManager, logind, and the bus die, hang, and return: never a false AC, never stuck")
    func all() async throws {
        let seed = Self.environment["TRANSFER_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
        let seconds = Self.environment["TRANSFER_DYING_SECONDS"].flatMap { Int($0) } ?? 20
        print("DyingDaemonsTests: TRANSFER_SEED=\(seed) TRANSFER_DYING_SECONDS=\(seconds)")
        let fixture = try await DyingDaemonsFixture(seed: seed)
        let result: Result<Void, any Error>
        do { result = .success(try await fixture.run(for: .seconds(seconds))) } catch {
            result = .failure(FixtureError("TRANSFER_SEED=\(seed): \(error)\n\(await fixture.evidence())"))
        }
        await fixture.end()
        print("DyingDaemonsTests: \(await fixture.tally)")
        try result.get()
    }
}
