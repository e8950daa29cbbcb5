// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import Testing

/// A stress test in which every source of conditions dies, hangs, recovers and stays away, in random order.
///
/// `TRANSFER_DYING_SECONDS` sets the duration (20 s by default), and `TRANSFER_SEED` sets the order.
@Suite(
    "Dying daemons", .serialized,
    .enabled(if: DaemonBench.unavailabilityReason == nil, "\(DaemonBench.unavailabilityReason ?? "")"))
struct DyingDaemonsTests {
    private static let environment = ProcessInfo.processInfo.environment

    @Test("upowerd, NetworkManager, logind and the bus die, hang and return: never a wrong AC, and nothing stays stuck")
    func all() async throws {
        let seed = Self.environment["TRANSFER_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
        let seconds = Self.environment["TRANSFER_DYING_SECONDS"].flatMap { Int($0) } ?? 20
        print("DyingDaemonsTests: TRANSFER_SEED=\(seed) TRANSFER_DYING_SECONDS=\(seconds)")
        let bench = try await DaemonBench(seed: seed)
        let result: Result<Void, any Error>
        do { result = .success(try await bench.run(for: .seconds(seconds))) } catch { result = .failure(error) }
        await bench.end()
        print("DyingDaemonsTests: \(await bench.tally)")
        do { try result.get() } catch {
            throw RigError("TRANSFER_SEED=\(seed): \(error)\n\(await bench.log.suffix(40).joined(separator: "\n"))")
        }
    }
}
