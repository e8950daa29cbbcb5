// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import DiskRig
import Foundation
import Testing

@Suite(
    "transferd and the commands that talk to it", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct DaemonTests {
    private func withRig(
        settings: (String) throws -> [String: String] = { _ in [:] }, _ body: (DaemonRig) async throws -> Void
    ) async throws {
        let rig = try await DaemonRig(settings: settings)
        let result: Result<Void, any Error>
        do { result = .success(try await body(rig)) } catch { result = .failure(error) }
        await rig.end()
        try result.get()
    }

    /// Runs `body` with a daemon whose disk can be slow and can lose its power.
    private func withDisk(_ body: (DaemonRig, FaultyDiskRig) async throws -> Void) async throws {
        let journal = try TemporaryFolder()
        var disk: FaultyDiskRig?
        func settings(_ folder: String) throws -> [String: String] {
            let made = try FaultyDiskRig(root: folder, journal: journal.path + "/disk")
            disk = made
            return made.environment
        }
        try await withRig(settings: settings) { rig in try await body(rig, try #require(disk)) }
    }

    @Test("The first call starts the daemon, which fetches what it was given, and says so to who waits")
    func adds() async throws {
        let server = try NginxServer()
        let served = try server.serve("file.bin", bytes: 300_000)
        try await withRig { rig in
            #expect(try rig.process() == nil)
            #expect(try rig.run("add", server.url("file.bin"), "-d", rig.program.downloads, "--wait") == "1")
            #expect(RandomFile.same(rig.program.downloads + "/file.bin", served))
            #expect(try rig.process() != nil)
            #expect(try rig.run("list", "--all").contains("finished"))
            // A transfer that the server refuses is reported by exit status and by message.
            let missing = try rig.run("add", server.url("missing"), "-d", rig.program.downloads, "--wait", status: 1)
            #expect(missing.contains("404"))
            #expect(try rig.state(of: "2") == "failed")
        }
    }

    /// Counts the C library's memory arenas for threads other than the main thread. Each arena reserves 64 MiB of
    /// addresses, and only its beginning is in use.
    private func pools(in maps: [Substring]) -> Int {
        let parts = maps.map { $0.split(separator: " ", omittingEmptySubsequences: true) }
        return zip(parts, parts.dropFirst()).count { used, rest in
            let (start, end) = (used[0].split(separator: "-")[0], rest[0].split(separator: "-")[1])
            guard used[1] == "rw-p", rest[1] == "---p", used.count == 5, rest.count == 5 else { return false }
            return [start, end].allSatisfy { (UInt64($0, radix: 16) ?? 1) % (64 << 20) == 0 }
        }
    }

    @Test("The daemon holds nothing of what talks to servers, and two pools of memory at most however busy it is")
    func memory() async throws {
        let server = try NginxServer()
        _ = try server.serve("file.bin", bytes: 300_000)
        try await withRig { rig in
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        _ = try rig.run("add", server.url("file.bin"), "-d", rig.program.downloads, "--wait")
                    }
                }
                try await group.waitForAll()
            }
            let process = try #require(try rig.process())
            // Reads until the end of the file, because the kernel delivers the file in pieces.
            let file = try #require(FileHandle(forReadingAtPath: "/proc/\(process)/maps"))
            let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
            #expect(maps.contains { $0.contains("libsqlite3") })
            #expect(!maps.contains { $0.contains("libcurl") || $0.contains("FoundationNetworking") })
            // A sanitizer brings an allocator of its own.
            let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
            #expect(isSanitized || pools(in: maps) <= 1)
        }
    }

    @Test("A hold stops everything and says why, whoever restarts the daemon; released, all goes on")
    func holds() async throws {
        let server = try NginxServer()
        let served = try server.serve("file.bin", bytes: 300_000)
        try await withRig { rig in
            try rig.run("hold", "--reason", "a call")
            #expect(try rig.run("add", server.url("file.bin"), "-d", rig.program.downloads, "--session", "s") == "1")
            #expect(try rig.run("why", "1").contains("held by the user: a call"))
            let first = try #require(try rig.process())
            kill(first, SIGKILL)
            try waitUntil("the daemon ends", within: 60) { kill(first, 0) != 0 }
            let reasons = try rig.json("why", "1")["reasons"] as? [[String: Any]]
            #expect(reasons?.compactMap { $0["code"] as? String } == ["held"])
            #expect(try rig.process() != first)
            try rig.run("release")
            try rig.run("wait", "--session", "s", "--timeout", "60s")
            #expect(RandomFile.same(rig.program.downloads + "/file.bin", served))
        }
    }

    @Test("Killed in the middle, it goes on where it was when somebody calls again")
    func killed() async throws {
        let server = try NginxServer(rate: 2_000_000)
        let served = try server.serve("file.bin", bytes: 12_000_000)
        try await withRig { rig in
            try rig.run("add", server.url("file.bin"), "-d", rig.program.downloads)
            try waitUntil("bytes", within: 60) { try rig.json("show", "1")["bytes"] as? Int ?? 0 > 3_000_000 }
            let first = try #require(try rig.process())
            kill(first, SIGKILL)
            try waitUntil("the daemon ends", within: 60) { kill(first, 0) != 0 }
            try rig.run("wait", "1", "--timeout", "100s")
            #expect(RandomFile.same(rig.program.downloads + "/file.bin", served))
            let sent = server.requests().map(\.bytesSent).reduce(0, +)
            #expect(sent < 12_000_000 + 9_000_000, "\(sent) bytes were sent")
        }
    }

    @Test("L5: a partial file that the killed daemon's worker still holds is waited for, and gone on with")
    func lockedPartial() async throws {
        let server = try NginxServer(rate: 2_000_000)
        let served = try server.serve("file.bin", bytes: 12_000_000)
        try await withRig { rig in
            try rig.run("add", server.url("file.bin"), "-d", rig.program.downloads)
            try waitUntil("bytes", within: 60) { try rig.json("show", "1")["bytes"] as? Int ?? 0 > 3_000_000 }
            let first = try #require(try rig.process())
            kill(first, SIGKILL)
            try waitUntil("the daemon ends", within: 60) { kill(first, 0) != 0 }
            // The test takes the place of a surviving worker, which would keep the lock.
            let folder = try #require(rig.program.environment["XDG_STATE_HOME"]) + "/transferd/partial"
            let name = try #require(
                try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".part") })
            let descriptor = open("\(folder)/\(name)", O_RDWR | O_CLOEXEC)
            try #require(descriptor >= 0)
            try waitUntil("the end of the worker", within: 60) { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
            try waitUntil("the first failure", within: 60) {
                try rig.json("show", "1")["error-code"] as? String == "fileInUse"
            }
            #expect(try rig.state(of: "1") == "waiting")
            close(descriptor)
            try rig.run("resume", "1")
            try rig.run("wait", "1", "--timeout", "100s")
            #expect(RandomFile.same(rig.program.downloads + "/file.bin", served))
            let sent = server.requests().map(\.bytesSent).reduce(0, +)
            #expect(sent < 12_000_000 + 9_000_000, "\(sent) bytes were sent")
        }
    }

    @Test("What was handed over and a hold outlast a power loss that takes all that was not synced")
    func outlastsPowerLoss() async throws {
        let server = try NginxServer()
        let served = try server.serve("file.bin", bytes: 300_000)
        try await withDisk { rig, disk in
            func losePower() throws {
                let process = try #require(try rig.process())
                kill(process, SIGKILL)
                try waitUntil("the daemon ends", within: 60) { kill(process, 0) != 0 }
                var dice = SystemRandomNumberGenerator()
                try disk.losePower(PowerLoss(bytes: .dropped, names: .byFolder, keptNames: 0), using: &dice)
            }
            func isHeld() throws -> Bool {
                let reasons = try rig.json("why", "1")["reasons"] as? [[String: Any]]
                return reasons?.contains { $0["code"] as? String == "held" } ?? false
            }
            try rig.run("add", server.url("file.bin"), "-d", rig.program.downloads, "--not-before", "+1d")
            try rig.run("hold", "--reason", "a call")
            try losePower()
            #expect(try isHeld())
            try rig.run("release")
            try losePower()
            #expect(try !isHeld())
            try rig.run("add", server.url("file.bin"), "-d", rig.program.downloads, "--wait")
            #expect(RandomFile.same(rig.program.downloads + "/file.bin", served))
        }
    }

    @Test("A cancel is answered once it is saved: a daemon that is killed then does not go on with the transfer")
    func cancelsForGood() async throws {
        let server = try NginxServer(rate: 1_000_000)
        try server.serve("file.bin", bytes: 60_000_000)
        try await withDisk { rig, disk in
            try rig.run("add", server.url("file.bin"), "-d", rig.program.downloads)
            try waitUntil("bytes", within: 60) { try rig.json("show", "1")["bytes"] as? Int ?? 0 > 1_000_000 }
            let first = try #require(try rig.process())
            // Slow writes keep the attempt from ending at once.
            disk.setDelay(microseconds: 300_000)
            try rig.run("cancel", "1")
            kill(first, SIGKILL)
            disk.setDelay(microseconds: 0)
            try waitUntil("the daemon ends", within: 60) { kill(first, 0) != 0 }
            #expect(try rig.state(of: "1") == "cancelled")
            #expect(try FileManager.default.contentsOfDirectory(atPath: rig.program.downloads).isEmpty)
        }
    }

    @Test(
        "SIGTERM keeps the bytes and ends it with 0 within 5 s; a second daemon is refused with the first one's number")
    func ends() async throws {
        let server = try NginxServer(rate: 1_000_000)
        try server.serve("file.bin", bytes: 60_000_000)
        try await withRig { rig in
            try rig.run("add", server.url("file.bin"), "-d", rig.program.downloads)
            try waitUntil("bytes", within: 60) { try rig.json("show", "1")["bytes"] as? Int ?? 0 > 1_000_000 }
            let first = try #require(try rig.process())
            let other = rig.program.folder.path
            let second = try ChildProcess(
                DaemonRig.daemonPath, [],
                environment: rig.program.environment, output: other + "/second")
            #expect(try second.wait(within: 60) == 2)
            let text = try String(contentsOfFile: other + "/second", encoding: .utf8)
            #expect(text.contains("process \(first) is already the daemon of"))
            kill(first, SIGTERM)
            try waitUntil("the daemon ends", within: 60) { kill(first, 0) != 0 }
            // The next call starts the daemon again, with all of its transfers.
            #expect(try rig.json("show", "1")["bytes"] as? Int ?? 0 > 1_000_000)
            try rig.run("cancel", "1")
            try waitUntil("the end", within: 60) { try rig.state(of: "1") == "cancelled" }
            #expect(try FileManager.default.contentsOfDirectory(atPath: rig.program.downloads).isEmpty)
        }
    }

    @Test("Transfers are paused, resumed, changed and started by their numbers; what makes no sense says what would")
    func steers() async throws {
        let server = try NginxServer()
        try server.serve("file.bin", bytes: 1000)
        try await withRig { rig in
            try rig.run("add", server.url("file.bin"), "-d", rig.program.downloads, "--not-before", "+1d")
            #expect(try rig.run("why", "1").hasPrefix("not before"))
            let now = try rig.program.run(["now", "1"])
            #expect(now.status == 0 && now.run.errors.contains("1 still waits: not before"), "\(now.run.errors)")
            try rig.run("pause", "1")
            #expect(try rig.state(of: "1") == "paused")
            try rig.run("resume", "--all")
            #expect(try rig.state(of: "1") == "waiting")
            try rig.run("set", "1", "priority=high", "when=ac")
            let shown = try rig.json("show", "1")
            #expect(shown["priority"] as? Int == 750)
            #expect((shown["constraints"] as? [String: Any])?["power"] as? String == "ac")
            #expect(try rig.run("set", "1", "colour=red", status: 2).contains("there is no key 'colour'"))
            #expect(try rig.run("set", "1", "by=-1", status: 2).contains("by"))
            #expect(try rig.run("pause", status: 2).contains("name the transfers"))
            #expect(try rig.run("why", "99", status: 2).contains("no transfer 99"))
            #expect(try rig.run("add", "ftp://x/", status: 2).contains("only http and https"))
            #expect(try rig.run("add", "--limit-rate", "5", server.url("f"), status: 2).contains("whole daemon"))
            #expect(try rig.run("wait", "1", "--timeout", "1s", status: 4).contains("not all are over after 1s"))
            try rig.run("cancel", "--all")
            #expect(try rig.run("cancel", "1", status: 2).contains("is over: cancelled"))
        }
    }

    @Test("Uploads are handed over, too")
    func uploads() async throws {
        let server = try NginxServer()
        try await withRig { rig in
            let file = rig.program.folder.path + "/up.bin"
            try Data(repeating: 7, count: 100_000).write(to: URL(fileURLWithPath: file))
            // This server accepts no uploads and answers with status 405.
            let told = try rig.run("add-upload", file, server.url("up.bin"), "--wait", status: 1)
            #expect(told.contains("405"))
            #expect(try rig.run("add-upload", file + "x", server.url("up"), status: 2).contains("up.binx"))
        }
    }

    @Test("Without bus or daemon the status is 3, and a way out is named")
    func absent() throws {
        var program = try Transferctl()
        program.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent/bus"
        let result = try program.run(["list"])
        #expect(result.status == 3)
        #expect(result.run.errors.contains("'transferctl get' needs neither bus nor daemon"))
    }
}
