// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures
import Testing

/// Tests of `transferctl get --by`: the deadline is a promise.
@Suite(
    "get --by, end to end",
    .enabled(if: NginxServer.unavailabilityReason == nil, "\(NginxServer.unavailabilityReason ?? "")"))
struct DeadlineGetTests {
    private static let battery = "power=battery,battery=15,network=wifi,metered=no"
    private static let metered = "power=ac,network=wifi,metered=yes"

    /// A time window of one minute, half a day away.
    private static var farWindow: String {
        let hour = (Calendar.current.component(.hour, from: Date()) + 12) % 24
        let text = hour < 10 ? "0\(hour)" : "\(hour)"
        return "\(text):00-\(text):01"
    }

    @Test(
        "a transfer on battery says when battery will do, sends nothing before, and ends by its deadline"
    )
    func endsInTime() async throws {
        let server = try await NginxServer()
        _ = try server.serve("file.bin", bytes: 4_000_000)
        let program = try Transferctl()
        let submitted = Date().timeIntervalSince1970
        let run = try program.start(
            [
                "get", "--json", "--policy", "horizon:floor=0:factor=0", "--assume", Self.battery, "--by", "+24s",
                "--expect-bytes", "4M", server.url("file.bin"),
            ])
        let waiting = try await run.event("why it waits", within: 60) { $0.name == "waiting" }.event
        let sentence = waiting.fields["sentence"] as? String ?? ""
        #expect(
            sentence.contains("; waits for AC until ") && sentence.contains(", then battery will do"), "\(sentence)")
        let start = try await run.event("the start", within: 60) { $0.name == "started" }.event
        let end = try await run.event("the end", within: 60) { $0.name == "finished" }.event
        // 4 MB at the assumed 625 kB/s take 6.4 s, times 1.5.
        #expect(start.time > submitted + 10 && start.time < submitted + 18, "\(start.time - submitted)")
        #expect(end.time < submitted + 24)
        #expect(server.requests().allSatisfy { $0.method == "GET" && $0.began > submitted + 10 })
    }

    @Test("a deadline in danger and a missed deadline are reported once each, and a metered network is not touched")
    func reportedOnce() async throws {
        let server = try await NginxServer()
        _ = try server.serve("file.bin", bytes: 1_000_000)
        let program = try Transferctl()
        let run = try program.start(
            [
                "get", "--json", "--discretionary", "--assume", Self.metered, "--no-loopback-exemption", "--by", "+4s",
                "--expect-bytes", "1M", server.url("file.bin"),
            ])
        try await run.event("the missed deadline", within: 60) { $0.name == "deadlineMissed" }
        try await Task.sleep(for: .seconds(1))
        run.process.signal(SIGINT)
        _ = try await run.process.wait(within: 60)
        #expect(run.events.map(\.name).filter { $0.hasPrefix("deadline") } == ["deadlineAtRisk", "deadlineMissed"])
        #expect(server.requests().isEmpty)
    }

    @Test(
        "a deadline that certainly cannot be met is refused, unless --force is set",
        arguments: [
            (["--by", "2001-01-01T00:00:00Z"], "has passed"),
            (["--by", "+1m", "--window", Self.farWindow], "no time window opens before the deadline"),
            (["--by", "+1m", "--expect-bytes", "1G", "--limit-rate", "64K"], "but the deadline leaves"),
        ])
    func refused(options: [String], expected: String) async throws {
        let program = try Transferctl()
        let result = try await program.run(["get", "http://127.0.0.1:1/x"] + options)
        #expect(result.status == 2)
        #expect(result.run.errors.contains(expected), "\(result.run.errors)")
        #expect(result.run.output.isEmpty)
        let rehearsed = try await program.run(["get", "--dry-run", "http://127.0.0.1:1/x"] + options)
        #expect(rehearsed.status == 2 && rehearsed.run.output.isEmpty)
        #expect(rehearsed.run.errors.contains(expected), "\(rehearsed.run.errors)")
        let forced = try await program.run(["get", "--dry-run", "--force", "http://127.0.0.1:1/x"] + options)
        #expect(forced.status == 0, "\(forced.run.errors)")
        #expect(forced.run.errors.contains(expected), "the warning stays: \(forced.run.errors)")
        let quiet = try await program.run(["get", "--dry-run", "--force", "--quiet", "http://127.0.0.1:1/x"] + options)
        #expect(quiet.status == 0 && quiet.run.errors.isEmpty, "\(quiet.run.errors)")
    }
}
