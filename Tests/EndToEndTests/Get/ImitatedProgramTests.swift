// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// Rule D4 of the doors: the built program under other programs' names, and the real yt-dlp that calls it.
@Suite("D4: imitated programs", .timeLimit(.minutes(5)))
struct ImitatedProgramTests {
    /// A server that refuses requests without the cookie `k=v1` and the field `X-Test: hello`, unless the path is /open.
    private final class PickyServer {
        static let text = """
            import http.server
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    fits = "k=v1" in self.headers.get("Cookie", "") and self.headers.get("X-Test") == "hello"
                    found = self.path.startswith(("/clip", "/open"))
                    status = 404 if not found else 200 if fits or self.path.startswith("/open") else 403
                    body = b"v" * 300000 if status == 200 else b"no"
                    self.send_response(status)
                    self.send_header("Content-Type", "video/mp4")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    if self.command == "GET": self.wfile.write(body)
                do_HEAD = do_GET
                def log_message(self, *arguments): pass
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            print(server.server_address[1], flush=True)
            server.serve_forever()
            """
        let address: String
        private let process: ChildProcess
        private let folder: TemporaryFolder

        init() async throws {
            let folder = try TemporaryFolder()
            self.folder = folder
            process = try ChildProcess("/usr/bin/env", ["python3", "-c", Self.text], output: folder.path + "/out")
            let output = folder.path + "/out"
            try await waitForText("\n", in: output)
            let port = try String(contentsOfFile: output, encoding: .utf8).trimmingCharacters(in: .newlines)
            address = "http://127.0.0.1:" + port
        }

        func end() { process.end() }
    }

    private static let cookies = "# Netscape HTTP Cookie File\\n127.0.0.1\\tFALSE\\t/\\tFALSE\\t4102444800\\tk\\tv1\\n"

    /// The program with a folder that contains it under other names.
    private func withPrograms(_ body: (Transferctl, String, PickyServer) async throws -> Void) async throws {
        let program = try Transferctl()
        let folder = program.folder.path + "/bin"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in ["aria2c", "curl", "xfercommand"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/" + name, withDestinationPath: Transferctl.path)
        }
        let server = try await PickyServer()
        defer { server.end() }
        try await body(program, folder, server)
    }

    @Test("Each program downloads with its own options, header fields, and cookies; only messages go to standard error")
    func downloads() async throws {
        try await withPrograms { program, folder, server in
            var program = program
            program.executable = "/bin/sh"
            let url = server.address + "/clip.mp4"
            for (name, command) in [
                (
                    "curl",
                    "printf '\(Self.cookies)' | \(folder)/curl -L -o f.curl --cookie - --header 'X-Test: hello' -- \(url)"
                ),
                (
                    "aria2c",
                    "printf '\(Self.cookies)' >jar; \(folder)/aria2c --load-cookies=jar --header 'X-Test: hello' "
                        + "--dir . --out ./f.aria2c -- \(url)"
                ),
                ("xfercommand", "\(folder)/xfercommand \(server.address)/open f.xfercommand"),
            ] {
                let (status, run) = try await program.run(["-ec", command], within: 60)
                #expect(status == 0 && run.output == "", "\(name): \(run.errors)")
                let size = try FileManager.default.attributesOfItem(atPath: program.downloads + "/f." + name)[.size]
                #expect(size as? Int == 300_000, "\(name)")
            }
            let (status, run) = try await program.run(
                ["-ec", "\(folder)/curl -s \(server.address)/open | wc -c"], within: 60)
            #expect(status == 0 && run.output.trimmingCharacters(in: .whitespacesAndNewlines) == "300000")
        }
    }

    @Test("Failures have the imitated program's statuses, and hostile arguments start nothing")
    func failures() async throws {
        try await withPrograms { program, folder, server in
            var program = program
            for (name, words, expected) in [
                ("curl", ["-o", "x", server.address + "/none"], 22), ("curl", ["-o", "x", "http://127.0.0.1:1/x"], 7),
                ("curl", ["--data", "x", server.address + "/open"], 2), ("curl", ["-o", "x", "file:///etc/passwd"], 2),
                ("aria2c", [server.address + "/none"], 3), ("aria2c", ["--enable-rpc"], 28),
                ("aria2c", ["-o", "x"], 28), ("aria2c", ["-o", "x\ny/../../z", "--", "--on-complete=touch evil"], 28),
                ("xfercommand", [server.address + "/open"], 1),
                ("curl", ["-H", "X: a\r\nEvil: b", "-o", "x", server.address + "/open"], 2),
            ] as [(String, [String], Int32)] {
                program.executable = folder + "/" + name
                // One attempt is enough to see the status.
                let options = expected == 7 ? ["--retry", "0"] : []
                let (status, run) = try await program.run(options + words, within: 60)
                #expect(status == expected, "\(name) \(words): \(run.errors)")
                #expect(!run.errors.isEmpty && run.output == "", "\(name) \(words): \(run.output)")
            }
            #expect(!FileManager.default.fileExists(atPath: program.downloads + "/evil"))
        }
    }

    @Test(
        "The real yt-dlp finishes through each name although power is unplugged during its download",
        .enabled(if: PowerFixture.unavailabilityReason == nil, "\(PowerFixture.unavailabilityReason ?? "")"),
        .enabled(if: NginxServer.unavailabilityReason == nil, "\(NginxServer.unavailabilityReason ?? "")"),
        .enabled(if: ImitatedProgramTests.downloader != nil, "yt-dlp is missing: pip install yt-dlp"))
    func unplugged() async throws {
        // Each download takes twenty seconds.
        let server = try await NginxServer(rate: 50_000)
        let served = try server.serve("clip.mp4", bytes: 1_000_000)
        let bus = try await PrivateBus()
        let fixture = try await PowerFixture(bus: bus)
        try await fixture.spawn()
        let names = ["curl", "aria2c"]
        var runs: [(name: String, program: Transferctl, run: Transferctl.Run)] = []
        for name in names {
            var program = try Transferctl(environment: bus.environment)
            let settings = program.folder.path + "/config/transferd"
            try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
            try "when = \"ac\"\n".write(toFile: settings + "/get.toml", atomically: true, encoding: .utf8)
            let path = program.folder.path + "/" + name
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: Transferctl.path)
            program.executable = try #require(Self.downloader)
            let words = ["--no-update", "--downloader", path, "-o", "clip.mp4", server.url("clip.mp4")]
            runs.append((name, program, try program.start(words)))
        }
        try await waitUntil("all downloads run", within: 60) {
            runs.allSatisfy { Self.largestSize(in: $0.program.folder.path) > 200_000 }
        }
        let before = server.requests().count
        try await fixture.setAC(false)
        // nginx logs a request after its end.
        try await server.waitForRequests(before + names.count, within: 20)
        let interrupted = server.requests().count
        try await Task.sleep(for: .seconds(3))
        #expect(server.requests().count == interrupted && runs.allSatisfy { $0.run.process.exitStatus == nil })
        try await fixture.setAC(true)
        for (name, program, run) in runs {
            #expect(try await run.process.wait(within: 90) == 0, "\(name): \(run.output) \(run.errors)")
            #expect(RandomFile.same(program.downloads + "/clip.mp4", served), "\(name)")
        }
        #expect(server.requests().contains { $0.status == 206 }, "downloads continued where they had stopped")
        await fixture.end()
        await bus.end()
    }

    /// The size of the largest file in a folder and its subfolders.
    private static func largestSize(in folder: String) -> Int {
        let paths = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
        return paths.reduce(0) {
            max($0, (try? FileManager.default.attributesOfItem(atPath: folder + "/" + $1)[.size]) as? Int ?? 0)
        }
    }

    /// The path of the real yt-dlp, or `nil`.
    private static let downloader = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/yt-dlp" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test(
        "The real yt-dlp downloads through each of two names, with header fields and cookies",
        .enabled(if: ImitatedProgramTests.downloader != nil, "yt-dlp is missing: pip install yt-dlp"))
    func realCaller() async throws {
        try await withPrograms { program, folder, server in
            var program = program
            program.executable = try #require(Self.downloader)
            let jar = program.folder.path + "/jar"
            try Self.cookies.replacing("\\n", with: "\n").replacing("\\t", with: "\t")
                .write(toFile: jar, atomically: true, encoding: .utf8)
            for name in ["curl", "aria2c"] {
                let (status, run) = try await program.run(
                    [
                        "--no-update", "--cookies", jar, "--add-headers", "X-Test:hello", "--downloader",
                        folder + "/" + name, "-o", name + ".mp4", server.address + "/clip.mp4",
                    ], within: 120)
                #expect(status == 0, "\(name): \(run.output) \(run.errors)")
                let size = try FileManager.default.attributesOfItem(atPath: program.downloads + "/\(name).mp4")[.size]
                #expect(size as? Int == 300_000, "\(name)")
            }
        }
    }
}
