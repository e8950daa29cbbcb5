// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// Tests of `transferctl get` on a machine that goes to sleep, with a real logind.
@Suite(
    "get across sleep, end to end",
    .enabled(if: NginxServer.unavailabilityReason == nil, "\(NginxServer.unavailabilityReason ?? "")"),
    .enabled(if: LoginFixture.unavailabilityReason == nil, "\(LoginFixture.unavailabilityReason ?? "")"))
struct SleepingGetTests {
    private func locks(of run: Transferctl.Run, _ fixture: LoginFixture) async throws -> [String] {
        try await fixture.locks().filter { $0.hasSuffix("/\(run.process.id)") }
    }

    @Test("announced sleep stops it with its bytes saved, well before logind's timeout; it resumes after wake-up")
    func sleeps() async throws {
        // Without the pause, the download would take ten minutes. The sleep comes sooner, however slow the machine
        // is.
        let server = try await NginxServer(rate: 100_000, beginning: 4_000_000)
        let served = try server.serve("file.bin", bytes: 60_000_000)
        let bus = try await PrivateBus()
        let fixture = try LoginFixture(bus: bus)
        try await fixture.spawn()
        let program = try Transferctl(environment: bus.environment)
        let run = try program.start(["get", "--json", server.url("file.bin")])
        let started = try await run.event("the start", within: 60) { $0.name == "started" }
        try await run.event("bytes", within: 60, after: started.index) { ($0.fields["bytes"] as? Int ?? 0) > 3_000_000 }
        #expect(try await locks(of: run, fixture).count == 1)

        try await fixture.sleep()
        try await waitUntil("logind proceeds", within: 60) { try await fixture.startedTarget() != "nothing" }
        #expect(try await fixture.startedTarget() == "suspend.target")
        let delay = try await fixture.inhibitorDelay()
        print("sleep request until logind proceeded: \(delay)")
        #expect(delay < .milliseconds(3500))
        let paused = try await run.event("the pause", within: 60, after: started.index) { $0.name == "paused" }
        #expect(paused.event.reasons == ["aboutToSleep"])
        #expect(paused.event.sources == ["logind"])
        let kept = try #require(paused.event.fields["bytes"] as? Int)
        #expect(kept > 3_000_000)
        #expect(try await locks(of: run, fixture).isEmpty)
        // Nothing leaves the machine during the sleep.
        let quiet = server.requests().count
        try await Task.sleep(for: .seconds(1))
        #expect(server.requests().count == quiet)

        try await fixture.wake()
        #expect(try await run.process.wait(within: 60) == 0)
        #expect(RandomFile.same(program.downloads + "/file.bin", served))
        #expect(server.requests().contains { $0.range.hasPrefix("bytes=\(kept)-") }, "\(server.requests())")
        await fixture.end()
        await bus.end()
    }
}
