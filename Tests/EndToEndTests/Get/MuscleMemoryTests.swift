// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostileServer
import ProcessFixtures
import Testing

/// Tests of the options that users of curl and wget know, with the whole program.
@Suite("get as users of curl and wget know it, end to end")
struct MuscleMemoryTests {
    private static let file = ServedFile(bytes: ServedFile.content(8_000_000))

    /// Runs the body with a server that serves the file on every path, except for redirects from `/to?URL`.
    private func serve(_ file: ServedFile = Self.file, _ body: (HostileServer) async throws -> Void) async throws {
        let server = try HostileServer { request, connection in
            guard let target = request.target.split(separator: "?", maxSplits: 1).last, request.target.hasPrefix("/to?")
            else { return file.serve(request, connection) }
            connection.respond("302 Found", ["Location: \(target)"])
        }
        defer { server.stop() }
        try await body(server)
    }

    @Test("--dry-run sends nothing and saves nothing, and says what would happen, when, and why")
    func dryRun() async throws {
        try await serve { server in
            let program = try Transferctl()
            let arguments = ["get", "--dry-run", "-d", "/nowhere", server.url("/f.iso")]
            let now = try await program.run(arguments)
            #expect(now.status == 0, "\(now.run.errors)")
            #expect(now.run.output.contains("f.iso: would start now\n  from \(server.url("/f.iso"))\n  to /nowhere/"))
            let later = try await program.run(arguments + ["--not-before", "tomorrow 18:00"])
            #expect(later.run.output.contains("f.iso: would wait: not before "), "\(later.run.output)")
            let upload = program.folder.path + "/report.pdf"
            try Data([1, 2, 3]).write(to: URL(fileURLWithPath: upload))
            let put = try await program.run(["put", "-n", upload, server.url("/in/")])
            #expect(put.run.output.contains("PUT \(upload) to \(server.url("/in/report.pdf"))"), "\(put.run.output)")
            let json = try await program.run(arguments + ["--json", "--assume", "power=battery", "--when", "ac"])
            let event = try #require(json.run.events.first)
            #expect(event.name == "planned" && event.fields["startsNow"] as? Bool == false)
            #expect(event.reasons == ["onBattery"])
            #expect(server.requests.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: program.folder.path + "/state/transferd/get/queue.sqlite"))
        }
    }

    @Test("--insecure is loud, and only its own run accepts the certificate")
    func insecure() async throws {
        var options = HostileServerOptions()
        options.certificate = try HostileAuthority().certificate(.selfSigned)
        let server = try HostileServer(options: options) { Self.file.serve($0, $1) }
        defer { server.stop() }
        let program = try Transferctl()
        let arguments = ["get", "--retries", "0", server.url("/f")]
        #expect(try await program.run(arguments).status == 1)
        let accepted = try await program.run(arguments + ["--insecure", "--overwrite"])
        #expect(accepted.status == 0, "\(accepted.run.errors)")
        #expect(accepted.run.errors.contains("warning: --insecure accepts any certificate"))
        let again = try await program.run(arguments)
        #expect(again.status == 1 && !again.run.errors.contains("warning"), "\(again.run.errors)")
    }

    @Test("Cookies, logins, and referers stay with the URL's own server, and secrets are nowhere to be seen")
    func secrets() async throws {
        try await serve { other in
            try await serve { server in
                let program = try Transferctl()
                let jar = program.folder.path + "/jar"
                try Data("127.0.0.1\tFALSE\t/\tFALSE\t0\tid\tc00kie\n".utf8).write(to: URL(fileURLWithPath: jar))
                let url = server.url("/to?") + other.url("/f")
                let arguments = ["--cookies", jar, "--user", "me:pa55word", "--referer", "http://example.org/page"]
                let run = try program.start(["get", "--verbose"] + arguments + [url])
                #expect(try await run.process.wait(within: 120) == 0, "\(run.errors)")
                let request = try #require(server.requests.first)
                #expect(request.value("Cookie") == "id=c00kie")
                #expect(request.value("Referer") == "http://example.org/page")
                #expect(other.requests.count >= 1)
                for request in other.requests {
                    for name in ["Cookie", "Authorization", "Referer"] { #expect(request.value(name) == nil) }
                }
                #expect(!run.errors.contains("c00kie") && !run.errors.contains("pa55word"))
            }
        }
    }

    @Test("The command line of the process, and of its worker, does not show the password")
    func processList() async throws {
        let server = try HostileServer { _, connection in connection.waitForClient() }
        defer { server.stop() }
        let program = try Transferctl()
        let run = try program.start(["get", "-u", "me:pa55word-of-the-list", server.url("/f")])
        try await waitUntil("the request", within: 60) { !server.requests.isEmpty }
        let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
        for process in processes {
            let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
            #expect(!String(decoding: line, as: UTF8.self).contains("pa55word-of-the-list"), "process \(process)")
        }
        run.process.signal(SIGINT)
        #expect(try await run.process.wait(within: 60) == 130)
    }

    @Test("An interrupted download says whether it resumes or starts over", arguments: [true, false])
    func resumes(acceptsRanges: Bool) async throws {
        var file = Self.file
        file.acceptsRanges = acceptsRanges
        let server = try HostileServer { [file] in file.serve($0, $1) }
        defer { server.stop() }
        let program = try Transferctl()
        let arguments = ["get", server.url("/f")]
        let first = try program.start(arguments + ["--limit-rate", "2M", "--json"])
        try await first.event("two megabytes", within: 60) { ($0.fields["bytes"] as? Int ?? 0) > 2_500_000 }
        first.process.signal(SIGINT)
        #expect(try await first.process.wait(within: 60) == 130)
        let plan = try await program.run(arguments + ["--dry-run"])
        #expect(plan.run.output.contains("resumes at "), "\(plan.run.output)")
        let second = try await program.run(arguments)
        #expect(second.status == 0, "\(second.run.errors)")
        #expect(second.run.errors.contains("f: resumed at ") == acceptsRanges, "\(second.run.errors)")
        #expect(
            second.run.errors.contains("f: server cannot resume, starting over") == !acceptsRanges,
            "\(second.run.errors)")
        #expect(!second.run.errors.contains("started\n"))
    }

    @Test("Several transfers end with a summary, and a mistyped command or option with a suggestion")
    func summary() async throws {
        let server = try HostileServer { request, connection in
            if request.target == "/no" {
                _ = connection.respond("404 Not Found")
                return
            }
            Self.file.serve(request, connection)
        }
        defer { server.stop() }
        let program = try Transferctl()
        let result = try await program.run(["get", server.url("/a"), server.url("/b"), server.url("/no")])
        #expect(result.status == 1)
        #expect(result.run.errors.contains("2 done, 1 failed; 16.0 MB"), "\(result.run.errors)")
        let typo = try await program.run(["gte", server.url("/a")])
        #expect(typo.status == 2 && typo.run.errors.contains("did you mean 'get'?"), "\(typo.run.errors)")
        let option = try await program.run(["get", "--overwritte", server.url("/a")])
        #expect(option.status == 2 && option.run.errors.contains("--overwrite'?"), "\(option.run.errors)")
    }

    @Test("get.toml sets default options, and a fault names the file")
    func defaults() async throws {
        try await serve { server in
            let program = try Transferctl()
            let folder = program.folder.path + "/config/transferd"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            func write(_ text: String) throws {
                try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/get.toml"))
            }
            try write("directory = \"\(program.folder.path)/elsewhere\"\nuser-agent = \"mine\"\n")
            let result = try await program.run(["get", server.url("/f")])
            #expect(result.run.output == program.folder.path + "/elsewhere/f\n", "\(result.run.errors)")
            #expect(server.requests.first?.value("User-Agent") == "mine")
            #expect(
                try await program.run(["get", "--no-config", server.url("/f")]).run.output == program.downloads + "/f\n"
            )
            try write("connections = 40\n")
            let wrong = try await program.run(["get", server.url("/g")])
            #expect(wrong.status == 2 && wrong.run.errors.contains("get.toml were used"), "\(wrong.run.errors)")
            try write("conections = 4\n")
            let typo = try await program.run(["get", server.url("/g")])
            #expect(typo.status == 2 && typo.run.errors.contains("did you mean 'connections'?"), "\(typo.run.errors)")
        }
    }
}
