// SPDX-License-Identifier: Apache-2.0
import ConditionRigs

/// A runner of tests with a bus, a network namespace and a probe. All three are taken down in order, whatever happens.
enum NetworkProbe {
    /// Prepares the network namespace, starts a probe of path and price with further `arguments`, and runs `body`.
    static func run(
        _ arguments: [String] = [], _ prepare: (NetworkRig) async throws -> Void,
        _ body: (NetworkRig, ConditionsProbe) async throws -> Void
    ) async throws {
        let bus = try await PrivateBus()
        let rig = try await NetworkRig(bus: bus)
        let result: Result<Void, any Error>
        do {
            try await prepare(rig)
            let probe = try ConditionsProbe(
                ["--without", "upower", "--without", "sysfs"] + arguments, prefix: rig.inside([]),
                environment: bus.environment)
            do { result = .success(try await body(rig, probe)) } catch { result = .failure(error) }
            await probe.end()
        } catch { result = .failure(error) }
        await rig.end()
        await bus.end()
        try result.get()
    }
}
