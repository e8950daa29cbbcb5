// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures

/// A runner of tests with a bus, a network namespace, and a probe. All three are ended in order, even after a failure.
enum NetworkProbe {
    /// Prepares the network namespace, starts a probe of path and price with further `arguments`, and runs `body`.
    static func run(
        _ arguments: [String] = [], _ prepare: (NetworkFixture) async throws -> Void,
        _ body: (NetworkFixture, ConditionsProbe) async throws -> Void
    ) async throws {
        let bus = try await PrivateBus()
        let fixture = try await NetworkFixture(bus: bus)
        let result: Result<Void, any Error>
        do {
            try await prepare(fixture)
            let probe = try ConditionsProbe(
                ["--without", "upower", "--without", "sysfs"] + arguments, prefix: fixture.inside([]),
                environment: bus.environment)
            do { result = .success(try await body(fixture, probe)) } catch { result = .failure(error) }
            await probe.end()
        } catch { result = .failure(error) }
        await fixture.end()
        await bus.end()
        try result.get()
    }
}
