// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import Testing

/// Tests of `transferctl get` on a machine that goes to sleep, with a real logind.
@Suite(
    "get across sleep, end to end", .serialized,
    .enabled(if: NginxServer.unavailabilityReason == nil, "\(NginxServer.unavailabilityReason ?? "")"),
    .enabled(if: LoginRig.unavailabilityReason == nil, "\(LoginRig.unavailabilityReason ?? "")"))
struct SleepingGetTests {
    private func locks(of run: Transferctl.Run, _ rig: LoginRig) async throws -> [String] {
        try await rig.locks().filter { $0.hasSuffix("/\(run.process.id)") }
    }

    @Test("what is announced stops it with its bytes saved, well before logind goes ahead by itself; awake, it goes on")
    func sleeps() async throws {
        // Without the pause, the download would take ten minutes. The sleep comes sooner, however slow the machine
        // is.
        let server = try NginxServer(rate: 100_000, beginning: 4_000_000)
        let served = try server.serve("file.bin", bytes: 60_000_000)
        let bus = try await PrivateBus()
        let rig = try LoginRig(bus: bus)
        try await rig.spawn()
        let program = try Transferctl(environment: bus.environment)
        let run = try program.start(["get", "--json", server.url("file.bin")])
        let started = try run.event("the start", within: 60) { $0.name == "started" }
        try run.event("bytes", within: 60, after: started.index) { ($0.fields["bytes"] as? Int ?? 0) > 3_000_000 }
        #expect(try await locks(of: run, rig).count == 1)

        let asked = ContinuousClock.now
        try await rig.sleep()
        while try await rig.begun() == "nothing", ContinuousClock.now - asked < .seconds(60) {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try await rig.begun() == "suspend.target")
        let delay = try await rig.held()
        print("asked to sleep until logind went ahead: \(delay)")
        #expect(delay < .milliseconds(3500))
        let paused = try run.event("the pause", within: 60, after: started.index) { $0.name == "paused" }
        #expect(paused.event.reasons == ["aboutToSleep"])
        #expect(paused.event.sources == ["logind"])
        let kept = try #require(paused.event.fields["bytes"] as? Int)
        #expect(kept > 3_000_000)
        #expect(try await locks(of: run, rig).isEmpty)
        // Nothing leaves the machine during the sleep.
        let quiet = server.requests().count
        try await Task.sleep(for: .seconds(1))
        #expect(server.requests().count == quiet)

        try await rig.wake()
        #expect(try run.process.wait(within: 60) == 0)
        #expect(RandomFile.same(program.downloads + "/file.bin", served))
        #expect(server.requests().contains { $0.range.hasPrefix("bytes=\(kept)-") }, "\(server.requests())")
        await rig.end()
        await bus.end()
    }
}
