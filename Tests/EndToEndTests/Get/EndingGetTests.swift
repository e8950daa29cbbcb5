// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures
import Testing

/// Tests of the ways in which `transferctl` ends after failures outside the transfer: disk, signals, pipes, and hooks.
@Suite(
    "transferctl exit behavior",
    .enabled(if: NginxServer.unavailabilityReason == nil, "\(NginxServer.unavailabilityReason ?? "")"))
struct EndingGetTests {
    /// The start of the command that runs a program in its own mount namespace.
    private static let unshare = ["/usr/bin/unshare", "-Urm"]

    private static let canMount: Bool = {
        guard FileManager.default.isExecutableFile(atPath: unshare[0]), let folder = try? TemporaryFolder(),
            let process = try? ChildProcess(unshare[0], ["-Urm", "/bin/true"], output: folder.path + "/out")
        else { return false }
        return process.waitOnThisThread() == 0
    }()

    /// Returns a program that runs under the shell script `script`, in which `"$@"` is the program's command.
    private func program(under script: String) throws -> Transferctl {
        var program = try Transferctl()
        program.prefix = ["/bin/sh", "-c", script, "sh"]
        return program
    }

    /// Writes a list of URLs on a port without a listener, for transfers that only wait.
    private func list(_ count: Int, in program: Transferctl, folder: String = "") throws -> String {
        let path = program.folder.path + "/list"
        let lines = (0..<count).map { "http://127.0.0.1:9/\(folder)\($0)\n" }
        try lines.joined().write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test(
        "a full disk under the queue ends with status 1 and a message",
        .enabled(if: canMount, "unshare -Urm does not work here"))
    func fullDisk() async throws {
        var program = try Transferctl()
        let state = program.folder.path + "/full"
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        let script = "mount -t tmpfs -o size=1m none '\(state)' && exec \"$@\""
        program.prefix = Self.unshare + ["/bin/sh", "-c", script, "sh"]
        let result = try await program.run([
            "get", "--state-dir", state, "--not-before", "+1d", "--input", try list(5000, in: program),
        ])
        #expect(result.status == 1)
        let last = result.run.errors.split(separator: "\n").last ?? ""
        #expect(last.hasPrefix("transferctl: ") && last.contains("full"), "\(last)")
    }

    @Test("a response without a file is a failure in text, in JSON, and for --on-complete")
    func noFile() async throws {
        let status = 304
        let server = try await NginxServer()
        let program = try Transferctl()
        let plain = try await program.run([
            "get", "--on-complete", "echo hook $TRANSFER_RESULT", server.url("\(status)"),
        ])
        #expect(plain.status == 1)
        #expect(plain.run.errors.contains("failed: the server answered \(status)"), "\(plain.run.errors)")
        #expect(plain.run.output == "hook failed\n")
        let json = try await program.run(["get", "--json", server.url("\(status)")])
        #expect(json.status == 1)
        let last = try #require(json.run.events.last)
        #expect(last.name == "failed")
        #expect((last.fields["error"] as? [String: Any])?["code"] as? String == "status")
    }

    @Test("SIGHUP that was ignored at the start, as under nohup, stays ignored")
    func ignoredSignal() async throws {
        let server = try await NginxServer(rate: 2_000_000)
        try server.serve("file.bin", bytes: 4_000_000)
        let program = try program(under: "trap '' HUP; exec \"$@\"")
        let run = try program.start(["get", "--json", server.url("file.bin")])
        try await run.event("the start", within: 60) { $0.name == "started" }
        run.process.signal(SIGHUP)
        #expect(try await run.process.wait(within: 30) == 0)
    }

    @Test("--on-complete runs without blocked or ignored signals and without inherited files")
    func freshHook() async throws {
        let server = try await NginxServer()
        try server.serve("file.bin", bytes: 1000)
        let program = try Transferctl()
        let hook = "grep -E '^Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd | tr '\\n' ' '"
        let result = try await program.run(["get", "--quiet", "--on-complete", hook, server.url("file.bin")])
        #expect(result.status == 0, "\(result.run.errors)")
        let lines = result.run.output.split(separator: "\n")
        let masks = lines.prefix(2).map { UInt64($0.split(separator: "\t").last ?? "", radix: 16) }
        // The C library uses signals 32 and 33 itself; posix_spawn leaves them ignored.
        #expect(masks.count == 2 && masks[0] == 0 && masks[1].map { $0 & ~0x1_8000_0000 } == 0, "\(result.run.output)")
        // Descriptor 3 is the folder that `ls` reads.
        #expect(lines.last == "0 1 2 3 ", "\(result.run.output)")
    }

    @Test("a hanging --on-complete command blocks nothing and ends after an interruption")
    func hangingHook() async throws {
        let server = try await NginxServer()
        try server.serve("a", bytes: 1000)
        try server.serve("b", bytes: 1000)
        let program = try Transferctl()
        let pidFile = program.folder.path + "/pid"
        let run = try program.start([
            "get", "--json", "--on-complete", "echo $$ > '\(pidFile)'; sleep 1000; true", server.url("a"),
            server.url("b"),
        ])
        try await run.event("the first", within: 60) {
            $0.name == "finished" && $0.fields["url"] as? String == server.url("a")
        }
        try await run.event("the other", within: 60) {
            $0.name == "finished" && $0.fields["url"] as? String == server.url("b")
        }
        var group: pid_t = 0
        try await waitUntil("the hook runs", within: 60, watching: .files(in: program.folder.path)) {
            let text = (try? String(contentsOfFile: pidFile, encoding: .utf8)) ?? ""
            group = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
            return group > 0
        }
        #expect(kill(-group, 0) == 0)
        run.process.signal(SIGINT)
        #expect(try await run.process.wait(within: 60) == 130)
        try await waitUntil("the hook's processes are gone", within: 60) { kill(-group, 0) != 0 }
    }

    @Test("a pipe without a reader does not delay an interruption")
    func blockedPipe() async throws {
        let program = try Transferctl()
        let pipe = program.folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDWR | O_CLOEXEC)
        defer { close(reader) }
        // The program writes the wait reasons of the first 36 transfers. The names are so long that the pipe cannot
        // hold the reasons.
        let list = try list(100, in: program, folder: String(repeating: "long/", count: 800))
        let run = try program.start(["get", "--json", "--not-before", "+1d", "--input", list], output: pipe)
        // The pipe's capacity depends on the boundaries of its pages. The pipe counts as full if nothing is added for
        // a while.
        var (pending, unchangedCount): (Int32, Int) = (0, 0)
        try await waitUntil("the pipe is full", within: 30) {
            var waiting: Int32 = 0
            _ = ioctl(reader, UInt(FIONREAD), &waiting)
            unchangedCount = waiting == pending ? unchangedCount + 1 : 0
            pending = waiting
            return pending > 30_000 && unchangedCount > 200
        }
        run.process.signal(SIGINT)
        #expect(try await run.process.wait(within: 60) == 130)
    }

    @Test("conditions --watch exits quietly when its reader is gone")
    func watchWithoutReader() async throws {
        let program = try program(under: "{ \"$@\"; echo $? >&2; } | head -n 1")
        let result = try await program.run(["conditions", "--watch", "--json"], within: 60)
        #expect(result.run.errors == "0\n")
        #expect(result.run.output.hasPrefix("{"))
    }

    @Test("get exits cleanly when its reader is gone, and the same command continues")
    func getWithoutReader() async throws {
        let server = try await NginxServer(rate: 2_000_000)
        let served = try server.serve("file.bin", bytes: 12_000_000)
        var program = try program(under: "{ \"$@\"; echo $? >&2; } | head -n 2")
        let first = try await program.run(["get", "--json", server.url("file.bin")], within: 60)
        #expect(first.run.errors.contains("run the same command again"), "\(first.run.errors)")
        #expect(first.run.errors.hasSuffix("130\n"))
        program.prefix = []
        let second = try await program.run(["get", server.url("file.bin")])
        #expect(second.status == 0, "\(second.run.errors)")
        #expect(RandomFile.same(program.downloads + "/file.bin", served))
    }

    @Test("a loopback URL behind a proxy is subject to the network conditions")
    func loopbackBehindProxy() async throws {
        var program = try Transferctl()
        program.environment["no_proxy"] = ""
        program.environment["NO_PROXY"] = ""
        let run = try program.start([
            "get", "--discretionary", "--json", "--assume", "power=ac,network=wifi,metered=yes", "--proxy",
            "http://127.0.0.1:9", "http://127.0.0.1:9/x",
        ])
        let waiting = try await run.event("why it waits", within: 60) { _ in true }
        #expect(waiting.event.name == "waiting")
        #expect(waiting.event.reasons == ["metered"])
    }

    @Test("control characters in a path are removed from messages but not from standard output")
    func controlCharacters() async throws {
        let server = try await NginxServer()
        try server.serve("file.bin", bytes: 1000)
        let program = try Transferctl()
        let folder = program.folder.path + "/a\u{1B}[31mb"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let result = try await program.run(["get", "-d", folder, server.url("file.bin")])
        #expect(result.status == 0)
        #expect(result.run.output == folder + "/file.bin\n")
        #expect(result.run.errors.contains("[31mb/file.bin") && !result.run.errors.contains("\u{1B}"))
        let refused = try await program.run(["get", "ftp://h/\u{1B}[31m"])
        #expect(refused.status == 2)
        #expect(!refused.run.errors.contains("\u{1B}"))
    }

    @Test("an argument that is not valid UTF-8 is rejected")
    func otherEncodings() async throws {
        let server = try await NginxServer()
        try server.serve("file.bin", bytes: 1000)
        let program = try program(under: "exec \"$@\" -o \"$(printf 'a\\377')\"")
        let result = try await program.run(["get", server.url("file.bin")])
        #expect(result.status == 2)
        #expect(result.run.errors.contains("is not UTF-8"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.downloads).isEmpty)
    }
}
