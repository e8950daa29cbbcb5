// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostileServer
import ProcessFixtures
import Testing

/// Rule N8 of transfers: standard files, `HOME`, `TZ`, and the locale of the process.
@Suite("N8: the environment of the process", .timeLimit(.minutes(5)))
struct ProcessEnvironmentTests {
    private static let file = ServedFile(bytes: Array("hello\n".utf8))

    private func serve(_ body: (HostileServer, inout Transferctl) async throws -> Void) async throws {
        let server = try HostileServer(handler: Self.file.serve)
        defer { server.stop() }
        var program = try Transferctl()
        try await body(server, &program)
    }

    private func contents(_ name: String, of program: Transferctl) -> [UInt8]? {
        FileManager.default.contents(atPath: program.downloads + "/" + name).map { Array($0) }
    }

    @Test(
        "A program with closed standard files transfers, and ends",
        arguments: ["2>&-", "<&-", ">&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
    func closed(files: String) async throws {
        try await serve { server, program in
            program.prefix = ["/bin/sh", "-c", "exec \"$0\" \"$@\" \(files)"]
            let down = try await program.run(["get", "--retries", "0", server.url("/f")], within: 30)
            #expect(down.status == 0 && contents("f", of: program) == Self.file.bytes)
            let up = try await program.run(["put", "--retries", "0", "f", server.url("/in/")], within: 30)
            #expect(up.status == 0)
            let output = try await program.run(["get", "-o", "-", server.url("/g")], within: 30)
            #expect((output.status == 1) == files.split(separator: " ").contains(">&-"))
            if !files.hasPrefix("<") {
                program.prefix[2] = "echo \(server.url("/listed")) | " + program.prefix[2].dropFirst(5)
                #expect(try await program.run(["get", "-i", "-"], within: 30).status == 0)
                #expect(contents("listed", of: program) == Self.file.bytes)
            } else {
                #expect(try await program.run(["get", "-i", "-"], within: 30).status == 2)
            }
        }
    }

    @Test(
        "Every program ends with closed standard files",
        arguments: [
            ("transferctl", "--version", 0), ("transferd", "--help", 0), ("transferlab", "--help", 0),
            ("transfer-worker", "", 2), ("transfer-rpc", "", 1),
        ], ["2>&-", "<&- >&- 2>&-"])
    func programs(_ program: (name: String, argument: String, status: Int32), files: String) async throws {
        let words = ["-c", "exec \"$0\" \"$@\" \(files)", builtProgram(program.name)]
        let process = try ChildProcess(
            "/bin/sh", words + (program.argument.isEmpty ? [] : [program.argument]), output: "/dev/null")
        #expect(try await process.wait(within: 30) == program.status)
    }

    @Test("An output that cannot be written is an error")
    func fullOutput() async throws {
        try await serve { server, program in
            let run = try program.start(["get", "-o", "-", server.url("/f")], output: "/dev/full")
            #expect(try await run.process.wait(within: 30) == 1)
            #expect(run.errors.contains("cannot write to standard output (No space left on device)"), "\(run.errors)")
        }
    }

    @Test("HOME is not needed if all folders are named", arguments: ["", "relative", "~"])
    func home(value: String) async throws {
        try await serve { server, program in
            program.environment["HOME"] = value
            program.environment["XDG_STATE_HOME"] = nil
            program.environment["XDG_CONFIG_HOME"] = nil
            let state = ["--state-dir", program.folder.path + "/s"]
            let named = ["-o", program.downloads + "/f", server.url("/f")]
            let down = try await program.run(["get"] + state + named)
            #expect(down.status == 0 && contents("f", of: program) == Self.file.bytes, "\(down.run.errors)")
            #expect(try await program.run(["put"] + state + ["f", server.url("/in/")]).status == 0)
            for (arguments, words) in [
                (["get"] + named, "cannot locate the state folder"), (["get", "--netrc"] + state + named, "HOME"),
            ] {
                let refused = try await program.run(arguments)
                #expect(refused.status == 2 && refused.run.errors.contains(words), "\(refused.run.errors)")
                #expect(refused.run.errors.contains("set HOME"))
            }
        }
    }

    @Test(
        "Local times are those of date(1), in every form of TZ",
        arguments: [
            "JST-9", "<+0530>-5:30", "CET-1CEST,M3.5.0,M10.5.0/3", ":Asia/Tokyo", "Europe/Berlin", "", "UTC", "EST5EDT",
            "America/St_Johns", "<-03>3", "NZST-12NZDT,M9.5.0,M4.1.0/3", "UTC0",
        ])
    func zones(zone: String) async throws {
        var program = try Transferctl()
        program.environment["TZ"] = zone
        for time in ["2036-12-24 18:00", "2036-07-01 03:30", "2037-03-29 12:00"] {
            let output = program.folder.path + "/date " + time
            let date = try ChildProcess(
                "/bin/date", ["-d", time, "+%s"], environment: ["TZ": zone], output: output)
            #expect(try await date.wait(within: 30) == 0)
            let expected = Double(try String(contentsOfFile: output, encoding: .utf8).trimmingCharacters(in: .newlines))
            let plan = try await program.run(["get", "--dry-run", "--json", "--not-before", time, "http://h.example/f"])
            let event = try #require(plan.run.events.first, "\(plan.run.errors)")
            let until = (event.fields["until"] as? String).flatMap {
                try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse($0).timeIntervalSince1970
            }
            #expect(until == expected, "\(time)")
        }
    }

    @Test("A window is open by the clock of TZ", arguments: ["JST-9", "<-0330>3:30", ":Asia/Tokyo", "UTC0"])
    func windows(zone: String) async throws {
        var program = try Transferctl()
        program.environment["TZ"] = zone
        let output = program.folder.path + "/hour"
        let date = try ChildProcess("/bin/date", ["+%-H"], environment: ["TZ": zone], output: output)
        #expect(try await date.wait(within: 30) == 0)
        let hour = Int(try String(contentsOfFile: output, encoding: .utf8).trimmingCharacters(in: .newlines)) ?? 0
        // Three hours around the present one are open, and the three that begin in six hours are not.
        for (first, startsNow) in [(hour + 23, true), (hour + 6, false)] {
            let window = String(format: "%02d:00-%02d:00", first % 24, (first + 3) % 24)
            let plan = try await program.run(["get", "--dry-run", "--json", "--window", window, "http://h.example/f"])
            let event = try #require(plan.run.events.first, "\(plan.run.errors)")
            #expect((event.reasons.contains("outsideWindow")) == !startsNow, "\(window): \(event.reasons)")
        }
    }

    @Test("The locale does not matter", arguments: ["C", "POSIX", "de_DE.ISO-8859-1", "nonsense", ""])
    func locale(name: String) async throws {
        try await serve { server, program in
            program.environment["LC_ALL"] = name
            let run = try await program.run(["get", "--retries", "0", server.url("/é%20[1].txt")])
            #expect(run.status == 0 && contents("é [1].txt", of: program) == Self.file.bytes, "\(run.run.errors)")
            #expect(server.requests.first?.target == "/%C3%A9%20%5B1%5D.txt")
        }
    }
}
