// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import DiskFixture
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "transferd and the commands that use it",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct DaemonTests {
    /// Runs `body` with a daemon whose disk can be slow and can lose its power.
    private func withDisk(_ body: (DaemonFixture, FaultyDiskFixture) async throws -> Void) async throws {
        let journal = try TemporaryFolder()
        var disk: FaultyDiskFixture?
        func settings(_ folder: String) throws -> [String: String] {
            let made = try FaultyDiskFixture(root: folder, journal: journal.path + "/disk")
            disk = made
            return made.environment
        }
        try await DaemonFixture.with(settings: settings) { fixture in try await body(fixture, try #require(disk)) }
    }

    @Test("The first call starts the daemon, which runs the download and reports its end")
    func adds() async throws {
        let server = try await NginxServer()
        let served = try server.serve("file.bin", bytes: 300_000)
        try await DaemonFixture.with { fixture in
            #expect(try await fixture.process() == nil)
            #expect(
                try await fixture.run("add", server.url("file.bin"), "-d", fixture.program.downloads, "--wait") == "1")
            #expect(RandomFile.same(fixture.program.downloads + "/file.bin", served))
            #expect(try await fixture.process() != nil)
            #expect(try await fixture.run("list", "--all").contains("finished"))
            // A transfer that the server refuses is reported by exit status and by message.
            let missing = try await fixture.run(
                "add", server.url("missing"), "-d", fixture.program.downloads, "--wait", status: 1)
            #expect(missing.contains("404"))
            #expect(try await fixture.state(of: "2") == "failed")
        }
    }

    /// Counts the C library's memory arenas for threads other than the main thread. Each arena reserves 64 MiB of
    /// addresses, and only its beginning is in use.
    private func pools(in maps: [Substring]) -> Int {
        let fields = maps.map { $0.split(separator: " ", omittingEmptySubsequences: true) }
        return zip(fields, fields.dropFirst()).count { used, rest in
            let (start, end) = (used[0].split(separator: "-")[0], rest[0].split(separator: "-")[1])
            guard used[1] == "rw-p", rest[1] == "---p", used.count == 5, rest.count == 5 else { return false }
            return [start, end].allSatisfy { (UInt64($0, radix: 16) ?? 1) % (64 << 20) == 0 }
        }
    }

    @Test("The daemon has at most two malloc arenas under load")
    func memory() async throws {
        let server = try await NginxServer()
        _ = try server.serve("file.bin", bytes: 300_000)
        try await DaemonFixture.with { fixture in
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        _ = try await fixture.run(
                            "add", server.url("file.bin"), "-d", fixture.program.downloads, "--wait")
                    }
                }
                try await group.waitForAll()
            }
            let process = try #require(try await fixture.process())
            // Reads until the end of the file, because the kernel delivers the file in pieces.
            let file = try #require(FileHandle(forReadingAtPath: "/proc/\(process)/maps"))
            let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
            #expect(maps.contains { $0.contains("libsqlite3") })
            // A sanitizer brings its own allocator.
            let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
            #expect(isSanitized || pools(in: maps) <= 1, "\(maps.joined(separator: "\n"))")
        }
    }

    @Test("A hold stops all transfers with its reason, survives a daemon restart, and ends with a release")
    func holds() async throws {
        let server = try await NginxServer()
        let served = try server.serve("file.bin", bytes: 300_000)
        try await DaemonFixture.with { fixture in
            try await fixture.run("hold", "--reason", "a call")
            #expect(
                try await fixture.run("add", server.url("file.bin"), "-d", fixture.program.downloads, "--session", "s")
                    == "1"
            )
            #expect(try await fixture.run("why", "1").contains("on hold since "))
            let first = try await fixture.endDaemon(by: SIGKILL)
            let reasons = try await fixture.json("why", "1")["reasons"] as? [[String: Any]]
            #expect(reasons?.compactMap { $0["code"] as? String } == ["held"])
            #expect(try await fixture.process() != first)
            try await fixture.run("release")
            try await fixture.run("wait", "--session", "s", "--timeout", "60s")
            #expect(RandomFile.same(fixture.program.downloads + "/file.bin", served))
        }
    }

    @Test("L5: a partial file still locked by the killed daemon's worker is waited for and then continued")
    func lockedPartial() async throws {
        let server = try await NginxServer(rate: 2_000_000)
        let served = try server.serve("file.bin", bytes: 12_000_000)
        try await DaemonFixture.with { fixture in
            try await fixture.run("add", server.url("file.bin"), "-d", fixture.program.downloads)
            try await waitUntil("bytes", within: 60) {
                try await fixture.transfer("1")["bytes"] as? Int ?? 0 > 3_000_000
            }
            try await fixture.endDaemon(by: SIGKILL)
            // The test takes the place of a surviving worker, which would keep the lock.
            let folder = try #require(fixture.program.environment["XDG_STATE_HOME"]) + "/transferd/partial"
            let name = try #require(
                try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".part") })
            let descriptor = open("\(folder)/\(name)", O_RDWR | O_CLOEXEC)
            try #require(descriptor >= 0)
            try await waitUntil("the end of the worker", within: 60) { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
            try await waitUntil("the first failure", within: 60) {
                try await fixture.transfer("1")["error-code"] as? String == "fileInUse"
            }
            // The next attempt, which fails in the same way, may be running.
            #expect(try await ["waiting", "running"].contains(fixture.state(of: "1")))
            close(descriptor)
            try await fixture.run("resume", "1")
            try await fixture.run("wait", "1", "--timeout", "100s")
            #expect(RandomFile.same(fixture.program.downloads + "/file.bin", served))
            let sent = server.requests().map(\.bytesSent).reduce(0, +)
            #expect(sent < 12_000_000 + 9_000_000, "\(sent) bytes were sent")
        }
    }

    @Test("Submitted transfers and a hold survive a power loss that discards all unsynced changes")
    func outlastsPowerLoss() async throws {
        let server = try await NginxServer()
        let served = try server.serve("file.bin", bytes: 300_000)
        try await withDisk { fixture, disk in
            func losePower() async throws {
                try await fixture.endDaemon(by: SIGKILL)
                var generator = SystemRandomNumberGenerator()
                try disk.losePower(PowerLoss(bytes: .dropped, names: .byFolder, keptNames: 0), using: &generator)
            }
            func isHeld() async throws -> Bool {
                let reasons = try await fixture.json("why", "1")["reasons"] as? [[String: Any]]
                return reasons?.contains { $0["code"] as? String == "held" } ?? false
            }
            try await fixture.run("add", server.url("file.bin"), "-d", fixture.program.downloads, "--not-before", "+1d")
            try await fixture.run("hold", "--reason", "a call")
            try await losePower()
            #expect(try await isHeld())
            try await fixture.run("release")
            try await losePower()
            #expect(try await !isHeld())
            try await fixture.run("add", server.url("file.bin"), "-d", fixture.program.downloads, "--wait")
            #expect(RandomFile.same(fixture.program.downloads + "/file.bin", served))
        }
    }

    @Test(
        "SIGTERM keeps the bytes and exits with 0 within 5 s; a second daemon names the first one's PID")
    func ends() async throws {
        let server = try await NginxServer(rate: 1_000_000)
        try server.serve("file.bin", bytes: 60_000_000)
        try await DaemonFixture.with { fixture in
            try await fixture.run("add", server.url("file.bin"), "-d", fixture.program.downloads)
            try await waitUntil("bytes", within: 60) {
                try await fixture.transfer("1")["bytes"] as? Int ?? 0 > 1_000_000
            }
            let first = try #require(try await fixture.process())
            let other = fixture.program.folder.path
            let second = try ChildProcess(
                DaemonFixture.daemonPath, [],
                environment: fixture.program.environment, output: other + "/second")
            #expect(try await second.wait(within: 60) == 2)
            let text = try String(contentsOfFile: other + "/second", encoding: .utf8)
            #expect(text.contains("process \(first) already uses"))
            kill(first, SIGTERM)
            try await waitForEnd(of: first)
            // The next call starts the daemon again, with all of its transfers.
            #expect(try await fixture.transfer("1")["bytes"] as? Int ?? 0 > 1_000_000)
            try await fixture.run("cancel", "1")
            try await waitUntil("the end", within: 60) { try await fixture.state(of: "1") == "cancelled" }
            #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.program.downloads).isEmpty)
        }
    }

    @Test("Transfers are paused, resumed, changed, and started by ID; wrong usage gets a hint")
    func controls() async throws {
        let server = try await NginxServer()
        try server.serve("file.bin", bytes: 1000)
        try await DaemonFixture.with { fixture in
            try await fixture.run("add", server.url("file.bin"), "-d", fixture.program.downloads, "--not-before", "+1d")
            #expect(try await fixture.run("why", "1").hasPrefix("not before"))
            let all = try await fixture.run("why").split(separator: "\n")
            #expect(all.count == 2 && all[0].hasPrefix("not before") && all[1] == "  1  file.bin", "\(all)")
            let groups = try await fixture.json("why")["waiting"] as? [[String: Any]]
            #expect(groups?.count == 1 && groups?.first?["ids"] as? [String] == ["1"])
            let now = try await fixture.program.run(["now", "1"])
            #expect(now.status == 0 && now.run.errors.contains("1 still waits: not before"), "\(now.run.errors)")
            try await fixture.run("pause", "1")
            #expect(try await fixture.state(of: "1") == "paused")
            try await fixture.run("resume", "--all")
            #expect(try await fixture.state(of: "1") == "waiting")
            try await fixture.run("set", "1", "priority=high", "when=ac")
            let shown = try await fixture.transfer("1")
            #expect(shown["priority"] as? Int == 750)
            #expect((shown["constraints"] as? [String: Any])?["power"] as? String == "ac")
            #expect(try await fixture.run("set", "1", "colour=red", status: 2).contains("unknown key 'colour'"))
            #expect(try await fixture.run("set", "1", "by=-1", status: 2).contains("by"))
            #expect(try await fixture.run("pause", status: 2).contains("select transfers in one way"))
            #expect(try await fixture.run("why", "99", status: 2).contains("no transfer 99"))
            #expect(try await fixture.run("add", "ftp://x/", status: 2).contains("unsupported URL scheme"))
            #expect(
                try await fixture.run("add", "--proxy", "http://p:1", server.url("f"), status: 2).contains(
                    "Unknown option '--proxy'"))
            #expect(
                try await fixture.run("wait", "1", "--timeout", "1s", status: 4).contains(
                    "timed out after 1s; the transfer has not ended"))
            try await fixture.run("cancel", "--all")
            #expect(try await fixture.run("cancel", "1", status: 2).contains("has already ended: canceled"))
        }
    }

    @Test("Without a bus, the status is 3 and the message names an alternative")
    func absent() async throws {
        var program = try Transferctl()
        program.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent/bus"
        let result = try await program.run(["list"])
        #expect(result.status == 3)
        #expect(result.run.errors.contains("'transferctl get' needs neither bus nor daemon"))
    }
}
