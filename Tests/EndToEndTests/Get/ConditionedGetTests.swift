// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// Tests of `transferctl get --discretionary` with real services on a machine whose plug and network the test
/// controls.
@Suite(
    "get --discretionary, end to end",
    .enabled(if: NginxServer.unavailabilityReason == nil, "\(NginxServer.unavailabilityReason ?? "")"))
struct ConditionedGetTests {
    /// The seconds since 1970 by the wall clock, which logs and events use as well.
    private var wallNow: Double { Date().timeIntervalSince1970 }

    @Test(
        "on battery no packet leaves; starts 10 s after plugging in; stops 5 s after unplugging; resumes",
        .enabled(if: PowerFixture.unavailabilityReason == nil, "\(PowerFixture.unavailabilityReason ?? "")"))
    func followsThePlug() async throws {
        let server = try await NginxServer(rate: 2_000_000)
        let served = try server.serve("file.bin", bytes: 24_000_000)
        let bus = try await PrivateBus()
        let fixture = try await PowerFixture(bus: bus)
        try await fixture.spawn()
        try await fixture.setAC(false)
        let program = try Transferctl(environment: bus.environment)
        let before = try await server.connections()
        let run = try program.start(
            ["get", "--discretionary", "--json", "--sysfs-root", fixture.sysfsRoot, server.url("file.bin")])

        let waiting = try await run.event("why it waits", within: 60) { $0.name == "waiting" }
        #expect(waiting.event.reasons == ["onBattery"])
        #expect(waiting.event.sources == ["UPower"])
        let sentence = waiting.event.fields["sentence"] as? String ?? ""
        #expect(sentence.contains("(UPower) — starts 10 s after you plug in"), "\(sentence)")
        try await Task.sleep(for: .seconds(3))
        #expect(try await server.connections() == before + 1, "something connected while on battery")
        #expect(run.process.exitStatus == nil)

        let pluggedIn = wallNow
        try await fixture.setAC(true)
        let started = try await run.event("the start", within: 60) { $0.name == "started" }
        try await run.event("bytes", within: 60, after: started.index) { ($0.fields["bytes"] as? Int ?? 0) > 2_000_000 }
        let unplugged = wallNow
        try await fixture.setAC(false)
        let paused = try await run.event("the pause", within: 60, after: started.index) { $0.name == "paused" }
        print("unplugged to paused: \(paused.event.time - unplugged) s")
        #expect(paused.event.time - unplugged >= 4.998)
        #expect(paused.event.time - unplugged <= 5 + Tolerance.seconds)
        #expect(paused.event.reasons == ["onBattery"])
        let kept = try #require(paused.event.fields["bytes"] as? Int)
        #expect(kept > 8_000_000)
        let quiet = try await server.connections()
        try await Task.sleep(for: .seconds(1))
        #expect(try await server.connections() == quiet + 1, "something connected while paused")
        // The server logs a request when it ends.
        let first = try #require(server.requests().first)
        print("plugged in to first request: \(first.began - pluggedIn) s")
        // The server's clock has a resolution of one millisecond.
        #expect(first.began - pluggedIn >= 9.998)
        #expect(first.began - pluggedIn <= 10 + Tolerance.seconds)

        try await fixture.setAC(true)
        #expect(try await run.process.wait(within: 40) == 0)
        #expect(RandomFile.same(program.downloads + "/file.bin", served))
        let continued = server.requests().map(\.range).filter { $0.hasPrefix("bytes=\(kept)-") }
        #expect(!continued.isEmpty, "\(server.requests())")
        await fixture.end()
        await bus.end()
    }

    @Test(
        "stops immediately on a metered network, names the source, and resumes 5 s after it is unmetered",
        .enabled(if: NetworkFixture.unavailabilityReason == nil, "\(NetworkFixture.unavailabilityReason ?? "")"))
    func followsTheMeter() async throws {
        let bus = try await PrivateBus()
        let fixture = try await NetworkFixture(bus: bus)
        try await fixture.startManager()
        try await fixture.connect()
        try await fixture.setMetered("yes")
        let server = try await NginxServer(rate: 2_000_000, prefix: fixture.inside([]).resolvingProgram())
        let served = try server.serve("file.bin", bytes: 16_000_000)
        var program = try Transferctl(environment: bus.environment)
        program.prefix = fixture.inside([]).resolvingProgram()
        let before = try await server.connections()
        // `--no-loopback-exemption` applies the network's conditions to this local server; `--assume` provides AC
        // power.
        let run = try program.start([
            "get", "--discretionary", "--json", "--no-loopback-exemption", "--assume", "power=ac",
            server.url("file.bin"),
        ])
        let waiting = try await run.event("why it waits", within: 60) { $0.reasons == ["metered"] }
        #expect(waiting.event.sources == ["NetworkManager"])
        try await Task.sleep(for: .seconds(2))
        #expect(try await server.connections() == before + 1, "something connected while metered")

        let freed = wallNow
        try await fixture.setMetered("no")
        let started = try await run.event("the start", within: 60) { $0.name == "started" }
        try await run.event("bytes", within: 60, after: started.index) { ($0.fields["bytes"] as? Int ?? 0) > 2_000_000 }
        let metered = wallNow
        try await fixture.setMetered("yes")
        let paused = try await run.event("the pause", within: 60, after: started.index) { $0.name == "paused" }
        print("metered to paused: \(paused.event.time - metered) s")
        #expect(paused.event.reasons == ["metered"])
        #expect(paused.event.time - metered <= Tolerance.seconds)
        let kept = try #require(paused.event.fields["bytes"] as? Int)

        try await fixture.setMetered("no")
        #expect(try await run.process.wait(within: 40) == 0)
        // The server logs a request when it ends.
        let first = try #require(server.requests().first)
        print("unmetered to first request: \(first.began - freed) s")
        #expect(first.began - freed >= 4.998)
        #expect(first.began - freed <= 5.5 + Tolerance.seconds)
        #expect(RandomFile.same(program.downloads + "/file.bin", served))
        #expect(server.requests().contains { $0.range.hasPrefix("bytes=\(kept)-") }, "\(server.requests())")
        await fixture.end()
        await bus.end()
    }
}

extension [String] {
    /// The command with an absolute path to its program, as posix_spawn requires.
    fileprivate func resolvingProgram() -> [String] {
        guard let name = first, !name.hasPrefix("/") else { return self }
        let folders = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"]
        let path = folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        return [path ?? name] + dropFirst()
    }
}
