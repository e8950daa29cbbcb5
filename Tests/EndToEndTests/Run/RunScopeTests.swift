// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import GLibBridge
import ProcessFixtures
import Testing

/// Tests of freezing by a control group.
@Suite(
    "run in a scope",
    .enabled(if: FakeScopes.unavailabilityReason == nil, "\(FakeScopes.unavailabilityReason ?? "")"),
    .enabled(if: PowerFixture.unavailabilityReason == nil, "\(PowerFixture.unavailabilityReason ?? "")"))
struct RunScopeTests {
    private func withFrozenCommand(
        _ body: (RunPowerFixture, FakeScopes, Transferctl.Run) async throws -> Void
    ) async throws {
        var fixture = try await RunPowerFixture(pluggedIn: true)
        fixture.program.environment.merge(fixture.bus.sessionEnvironment) { $1 }
        let scopes = FakeScopes()
        try await scopes.start(address: fixture.bus.address)
        let run = try fixture.start("--on-loss", "freeze")
        let result: Result<Void, any Error>
        do {
            try await fixture.awaitCounting(within: 30)
            #expect(scopes.units.count == 1)
            try await fixture.power.setAC(false)
            _ = try await fixture.awaitSilence(within: 20)
            result = .success(try await body(fixture, scopes, run))
        } catch { result = .failure(error) }
        try fixture.letEnd()
        run.process.end()
        try? await waitUntil("the command's processes end", within: 10) {
            (try? String(contentsOfFile: scopes.folder + "/cgroup.events", encoding: .utf8))?.contains("populated 0")
                ?? true
        }
        await scopes.stop()
        await fixture.end()
        try result.get()
    }

    private func isFrozen(_ scopes: FakeScopes) -> Bool {
        let path = scopes.folder + "/cgroup.events"
        return (try? String(contentsOfFile: path, encoding: .utf8))?.contains("frozen 1") == true
    }

    @Test("The scope's own group is frozen and thawed, no process is stopped, and the status passes through")
    func scope() async throws {
        try await withFrozenCommand { fixture, scopes, run async throws in
            #expect(isFrozen(scopes))
            #expect(run.errors.contains("sh: frozen: "))
            try await fixture.power.setAC(true)
            try await fixture.awaitCounting(within: 20)
            #expect(!isFrozen(scopes))
            try fixture.letEnd()
            #expect(try await run.process.wait(within: 20) == 5)
        }
    }

    @Test("If the watcher is killed, the group thaws within 5 s")
    func killed() async throws {
        try await withFrozenCommand { fixture, scopes, run async throws in
            run.process.signal(SIGKILL)
            try await fixture.awaitCounting(within: 5 + Tolerance.seconds)
            #expect(!isFrozen(scopes))
        }
    }

    @Test("SIGTERM thaws the group first")
    func terminated() async throws {
        try await withFrozenCommand { fixture, _, run async throws in
            run.process.signal(SIGTERM)
            #expect(try await run.process.wait(within: 10) == 6)
            #expect(fixture.lines("signals") == ["ended"])
        }
    }
}
